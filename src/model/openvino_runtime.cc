#include "model/openvino_runtime.h"

#include <condition_variable>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <openvino/frontend/manager.hpp>
#include <openvino/openvino.hpp>
#include <utility>

#include "base/file.h"
#include "model/dequantize.h"
#include "model/openvino_graph.h"

namespace beleg {
namespace {

// Kernels are generated for each shape of input and kept for the next layer or run of that shape.
// The library would keep 5,000 of them, at up to 150 kB each.
constexpr int kCachedKernels = 64;

// One for the process: its plugin takes tens of milliseconds to load. Never destroyed, because the
// library's own statics may be gone by the time ours would be.
ov::Core& core() {
  static auto* instance = new ov::Core();
  return *instance;
}

// Foreign bytes go to the one reader they are meant for: the library by itself would try them on
// every format it knows.
ov::frontend::FrontEnd& onnx_frontend() {
  static auto* manager = new ov::frontend::FrontEndManager();
  static auto* frontend = new ov::frontend::FrontEnd::Ptr(manager->load_by_framework("onnx"));
  return **frontend;
}

// The first line of what OpenVINO says, without the source positions it puts in front.
std::string reason_of(const std::exception& exception) {
  std::string reason = exception.what();
  for (char& c : reason) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  constexpr std::size_t kMaxBytes = 400;
  if (reason.size() > kMaxBytes) reason.resize(kMaxBytes);
  return reason;
}

std::vector<TensorInfo> describe(const std::vector<ov::Output<const ov::Node>>& ports) {
  std::vector<TensorInfo> infos;
  for (const ov::Output<const ov::Node>& port : ports) {
    TensorInfo info;
    if (!port.get_names().empty()) info.name = port.get_any_name();
    const ov::PartialShape& shape = port.get_partial_shape();
    if (shape.rank().is_static()) {
      for (const ov::Dimension& dimension : shape) {
        info.shape.push_back(dimension.is_static() ? dimension.get_length() : -1);
      }
    }
    infos.push_back(std::move(info));
  }
  return infos;
}

bool fits(const std::vector<std::int64_t>& declared, std::span<const std::size_t> shape) {
  if (declared.empty()) return true;
  if (declared.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (declared[i] >= 0 && static_cast<std::size_t>(declared[i]) != shape[i]) return false;
  }
  return true;
}

}  // namespace

struct OpenVinoModel::Request::Slot {
  ov::InferRequest request;
  std::vector<std::vector<std::int32_t>> narrowed;  // By input: data for 32-bit integer inputs.
};

struct OpenVinoModel::State {
  ov::CompiledModel model;
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  std::vector<ov::element::Type> input_types;
  std::vector<std::unique_ptr<Request::Slot>> slots;
  std::mutex mutex;
  std::condition_variable released;
  std::vector<Request::Slot*> free;  // Guarded by mutex.
};

OpenVinoModel::OpenVinoModel(std::unique_ptr<State> state) : state_(std::move(state)) {}
OpenVinoModel::OpenVinoModel(OpenVinoModel&&) noexcept = default;
OpenVinoModel& OpenVinoModel::operator=(OpenVinoModel&&) noexcept = default;
OpenVinoModel::~OpenVinoModel() = default;

const std::vector<TensorInfo>& OpenVinoModel::inputs() const { return state_->inputs; }
const std::vector<TensorInfo>& OpenVinoModel::outputs() const { return state_->outputs; }

OpenVinoModel::Request OpenVinoModel::acquire() const {
  std::unique_lock lock(state_->mutex);
  state_->released.wait(lock, [&] { return !state_->free.empty(); });
  Request::Slot* slot = state_->free.back();
  state_->free.pop_back();
  return {state_.get(), slot};
}

OpenVinoModel::Request::Request(Request&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)), slot_(std::exchange(other.slot_, nullptr)) {}

OpenVinoModel::Request::~Request() {
  if (state_ == nullptr) return;
  const std::lock_guard lock(state_->mutex);
  state_->free.push_back(slot_);
  state_->released.notify_one();
}

namespace {

Result<std::size_t> find_input(const std::vector<TensorInfo>& inputs, std::string_view name,
                               std::span<const std::size_t> shape, std::size_t values) {
  std::size_t index = 0;
  while (index < inputs.size() && inputs[index].name != name) ++index;
  if (index == inputs.size()) {
    return fail(ErrorCode::kInvalidArgument, "the model has no input '" + std::string(name) + "'");
  }
  std::size_t product = 1;
  for (std::size_t dimension : shape) product *= dimension;
  if (product != values || !fits(inputs[index].shape, shape)) {
    return fail(ErrorCode::kInvalidArgument,
                "input '" + std::string(name) + "': the shape does not fit the model or the data");
  }
  return index;
}

}  // namespace

Result<void> OpenVinoModel::Request::borrow(std::size_t input, std::span<const std::size_t> shape,
                                            const void* data) {
  try {
    // The tensor only borrows the data and the network only reads its inputs.
    slot_->request.set_input_tensor(
        input, ov::Tensor(state_->input_types[input], ov::Shape(shape.begin(), shape.end()),
                          const_cast<void*>(data)));
  } catch (const std::exception& exception) {
    return fail(ErrorCode::kInvalidArgument,
                "input '" + state_->inputs[input].name + "': " + reason_of(exception));
  }
  return {};
}

Result<void> OpenVinoModel::Request::set_input(std::string_view name,
                                               std::span<const std::size_t> shape,
                                               std::span<const float> data) {
  const std::size_t index = TRY(find_input(state_->inputs, name, shape, data.size()));
  if (state_->input_types[index] != ov::element::f32) {
    return fail(ErrorCode::kInvalidArgument, "input '" + std::string(name) + "' is not of floats");
  }
  return borrow(index, shape, data.data());
}

Result<void> OpenVinoModel::Request::set_input(std::string_view name,
                                               std::span<const std::size_t> shape,
                                               std::span<const std::int32_t> data) {
  const std::size_t index = TRY(find_input(state_->inputs, name, shape, data.size()));
  if (state_->input_types[index] != ov::element::i32) {
    return fail(ErrorCode::kInvalidArgument,
                "input '" + std::string(name) + "' is not of 32-bit integers");
  }
  return borrow(index, shape, data.data());
}

Result<void> OpenVinoModel::Request::set_input(std::string_view name,
                                               std::span<const std::size_t> shape,
                                               std::span<const std::int64_t> data) {
  const std::size_t index = TRY(find_input(state_->inputs, name, shape, data.size()));
  const ov::element::Type type = state_->input_types[index];
  if (type == ov::element::i32) {
    std::vector<std::int32_t>& narrowed = slot_->narrowed[index];
    narrowed.resize(data.size());
    for (std::size_t i = 0; i < data.size(); ++i) narrowed[i] = static_cast<std::int32_t>(data[i]);
    return borrow(index, shape, narrowed.data());
  }
  if (type != ov::element::i64) {
    return fail(ErrorCode::kInvalidArgument,
                "input '" + std::string(name) + "' is not of integers");
  }
  return borrow(index, shape, data.data());
}

Result<void> OpenVinoModel::Request::run() {
  try {
    slot_->request.infer();
  } catch (const std::exception& exception) {
    return fail(ErrorCode::kInternal, "the network failed: " + reason_of(exception));
  }
  return {};
}

Result<std::span<const float>> OpenVinoModel::Request::output(std::size_t index) const {
  if (index >= state_->outputs.size()) {
    return fail(ErrorCode::kInvalidArgument, "the model has no output " + std::to_string(index));
  }
  try {
    const ov::Tensor tensor = slot_->request.get_output_tensor(index);
    if (tensor.get_element_type() != ov::element::f32) {
      return fail(ErrorCode::kUnsupported,
                  "output " + std::to_string(index) + " is not of 32-bit floats");
    }
    return std::span<const float>(tensor.data<const float>(), tensor.get_size());
  } catch (const std::exception& exception) {
    return fail(ErrorCode::kInternal, "the network's output: " + reason_of(exception));
  }
}

Result<std::vector<std::size_t>> OpenVinoModel::Request::output_shape(std::size_t index) const {
  if (index >= state_->outputs.size()) {
    return fail(ErrorCode::kInvalidArgument, "the model has no output " + std::to_string(index));
  }
  try {
    const ov::Shape shape = slot_->request.get_output_tensor(index).get_shape();
    return std::vector<std::size_t>(shape.begin(), shape.end());
  } catch (const std::exception& exception) {
    return fail(ErrorCode::kInternal, "the network's output: " + reason_of(exception));
  }
}

Result<OpenVinoModel> compile_graph(const std::shared_ptr<ov::Model>& graph,
                                    const OpenVinoOptions& options) {
  const std::uint32_t requests = std::max(1U, options.requests);
  const std::uint32_t threads = std::max(1U, options.threads);
  auto state = std::make_unique<OpenVinoModel::State>();
  try {
    state->model = core().compile_model(
        graph, "CPU", ov::hint::inference_precision(ov::element::f32),
        ov::hint::enable_cpu_pinning(false), ov::num_streams(static_cast<std::int32_t>(requests)),
        ov::inference_num_threads(static_cast<std::int32_t>(requests * threads)),
        ov::hint::dynamic_quantization_group_size(0),
        std::pair<const std::string, ov::Any>("CPU_RUNTIME_CACHE_CAPACITY", kCachedKernels));
    state->inputs = describe(state->model.inputs());
    state->outputs = describe(state->model.outputs());
    for (const auto& input : state->model.inputs()) {
      state->input_types.push_back(input.get_element_type());
    }
    for (std::uint32_t i = 0; i < requests; ++i) {
      auto slot = std::make_unique<OpenVinoModel::Request::Slot>();
      slot->request = state->model.create_infer_request();
      slot->narrowed.resize(state->inputs.size());
      state->free.push_back(slot.get());
      state->slots.push_back(std::move(slot));
    }
  } catch (const std::exception& exception) {
    return fail(ErrorCode::kUnsupported, "cannot compile the network: " + reason_of(exception));
  }
  return OpenVinoModel(std::move(state));
}

Result<OpenVinoModel> OpenVinoModel::read_onnx(const std::filesystem::path& path,
                                               const OpenVinoOptions& options) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return fail(ErrorCode::kNotFound, "no such file: " + printable_path(path));
  }
  std::shared_ptr<ov::Model> graph;
  try {
    graph = onnx_frontend().convert(onnx_frontend().load(path.string()));
    remove_dynamic_quantization(graph);
  } catch (const std::exception& exception) {
    return fail(ErrorCode::kCorrupt,
                printable_path(path) + ": cannot be read as ONNX: " + reason_of(exception));
  }
  if (graph->inputs().empty() || graph->outputs().empty()) {
    // An empty file is a network of nothing to its format.
    return fail(ErrorCode::kCorrupt,
                printable_path(path) + ": cannot be read as ONNX: it has no inputs or no outputs");
  }
  Result<OpenVinoModel> model = compile_graph(graph, options);
  if (!model) return std::unexpected(model.error().with_context(printable_path(path)));
  return model;
}

}  // namespace beleg
