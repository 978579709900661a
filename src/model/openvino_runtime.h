#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace beleg {

struct OpenVinoOptions {
  std::uint32_t threads = 1;   ///< Processor threads of one request.
  std::uint32_t requests = 1;  ///< Requests that may run at the same time, each with `threads`.
};

/// Name and shape of a model's input or output; −1 stands for a dimension that varies.
struct TensorInfo {
  std::string name;
  std::vector<std::int64_t> shape;
};

/// A network compiled for this processor by OpenVINO, exact in 32-bit floats, with a pool of
/// requests. Thread-safe. No exception of the library leaves it.
class OpenVinoModel {
 public:
  struct State;

  /// A leased request: set every input, run, read outputs. Belongs to one thread at a time; goes
  /// back to the pool when destroyed, and must not outlive its model.
  class Request {
   public:
    struct Slot;
    Request(Request&& other) noexcept;
    Request& operator=(Request&&) = delete;
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    ~Request();

    /// The data is not copied: it must live until run() has returned. Errors: kInvalidArgument for
    /// an unknown name or when the shape does not fit the model or the data's size. Integer data is
    /// converted where the model's input is of another integer type.
    Result<void> set_input(std::string_view name, std::span<const std::size_t> shape,
                           std::span<const float> data);
    Result<void> set_input(std::string_view name, std::span<const std::size_t> shape,
                           std::span<const std::int64_t> data);
    Result<void> set_input(std::string_view name, std::span<const std::size_t> shape,
                           std::span<const std::int32_t> data);
    Result<void> run();
    /// Output number `index` of the last run. Views die with the next run or the request.
    Result<std::span<const float>> output(std::size_t index) const;
    Result<std::vector<std::size_t>> output_shape(std::size_t index) const;

   private:
    friend class OpenVinoModel;
    Result<void> borrow(std::size_t input, std::span<const std::size_t> shape, const void* data);
    Request(State* state, Slot* slot) : state_(state), slot_(slot) {}
    State* state_;
    Slot* slot_;
  };

  /// Reads an ONNX file (with its external data, if any) and compiles it. Errors: kNotFound,
  /// kCorrupt when it cannot be parsed, kUnsupported when it cannot be compiled here.
  static Result<OpenVinoModel> read_onnx(const std::filesystem::path& path,
                                         const OpenVinoOptions& options);

  explicit OpenVinoModel(std::unique_ptr<State> state);  // For the builders of graphs in memory.
  OpenVinoModel(OpenVinoModel&& other) noexcept;
  OpenVinoModel& operator=(OpenVinoModel&& other) noexcept;
  OpenVinoModel(const OpenVinoModel&) = delete;
  OpenVinoModel& operator=(const OpenVinoModel&) = delete;
  ~OpenVinoModel();

  [[nodiscard]] const std::vector<TensorInfo>& inputs() const;
  [[nodiscard]] const std::vector<TensorInfo>& outputs() const;
  /// Waits until one of the requests is free.
  [[nodiscard]] Request acquire() const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace beleg
