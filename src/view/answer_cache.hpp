// Answers that were given, so that the same question costs nothing the second time; the least used go first.
#pragma once
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "view/response.hpp"

namespace ww::view {

class AnswerCache {
 public:
  explicit AnswerCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  std::optional<Response> find(const std::string& question) {
    const std::lock_guard lock(mutex_);
    const auto found = by_question_.find(question);
    if (found == by_question_.end()) return std::nullopt;
    kept_.splice(kept_.begin(), kept_, found->second);
    return found->second->response;
  }
  void keep(const std::string& question, const Response& response) {
    const std::size_t bytes = size_of(question, response);
    if (bytes > most_bytes_ / 4) return;
    const std::lock_guard lock(mutex_);
    if (by_question_.contains(question)) return;
    kept_.push_front({question, response});
    by_question_[question] = kept_.begin();
    bytes_ += bytes;
    while (bytes_ > most_bytes_) {
      const Kept& last = kept_.back();
      bytes_ -= size_of(last.question, last.response);
      by_question_.erase(last.question);
      kept_.pop_back();
    }
  }

 private:
  struct Kept {
    std::string question;
    Response response;
  };
  static std::size_t size_of(const std::string& question, const Response& response) {
    return 2 * question.size() + response.body->size() + 256;
  }

  std::mutex mutex_;
  std::size_t most_bytes_, bytes_ = 0;
  std::list<Kept> kept_;
  std::unordered_map<std::string, std::list<Kept>::iterator> by_question_;
};

}  // namespace ww::view
