// A column of plain values that is either owned, and grows, or looks at memory that somebody else keeps, such
// as a mapped file; reading is the same.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace ww {

template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  Column(std::initializer_list<T> values) : own_(values) { look_at_own(); }
  // Who calls keeps the memory as long as this column and its copies look at it.
  static Column view(std::span<const T> values) {
    Column out;
    out.data_ = values.data();
    out.size_ = values.size();
    return out;
  }
  Column(const Column& other) : own_(other.own_), data_(other.data_), size_(other.size_) {
    if (other.owned()) look_at_own();
  }
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column other) noexcept {
    swap(other);
    return *this;
  }
  ~Column() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* data() const { return data_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T& back() const { return data_[size_ - 1]; }

  void push_back(const T& value) {
    if (!owned()) take_over();
    own_.push_back(value);
    look_at_own();
  }
  void append(const T* first, const T* last) {
    if (!owned()) take_over();
    own_.insert(own_.end(), first, last);
    look_at_own();
  }
  // Makes a view into a copy of its own first.
  T& change(std::size_t i) {
    WW_INVARIANT(i < size_);
    if (!owned()) take_over();
    return own_[i];
  }

 private:
  bool owned() const { return data_ == own_.data(); }
  void look_at_own() {
    data_ = own_.data();
    size_ = own_.size();
  }
  void take_over() {
    own_.assign(begin(), end());
    look_at_own();
  }
  void swap(Column& other) noexcept {
    std::swap(own_, other.own_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  std::vector<T> own_;
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ww
