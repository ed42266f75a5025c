// A growing array of plain values, used like an std::vector: in memory, in a ColumnStore, or looking at memory
// that somebody else keeps, such as a mapped file.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/column_store.hpp"
#include "base/exceptions.hpp"

namespace ww {

template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  Column() = default;
  // In `store`, or in memory if there is none.
  explicit Column(std::shared_ptr<ColumnStore> store) : store_(std::move(store)) {}
  Column(std::initializer_list<T> values) { append(values.begin(), values.end()); }
  // Only to be read, but for `change` and what makes it longer, which copy it first. Who calls keeps the memory
  // as long as this column and its copies look at it.
  static Column view(std::span<const T> values) {
    Column out;
    out.data_ = const_cast<T*>(values.data());
    out.size_ = values.size();
    out.is_view_ = true;
    return out;
  }
  Column(const Column& other) : store_(other.store_) {
    if (other.is_view_)
      *this = view({other.data_, other.size_});
    else
      append(other.begin(), other.end());
  }
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column other) noexcept {
    swap(other);
    return *this;
  }
  ~Column() { free(); }

  // Of an empty one: where it is from now on.
  void keep_in(std::shared_ptr<ColumnStore> store) { *this = Column(std::move(store)); }

  void push_back(const T& value) {
    const T copy = value;  // may be one of ours, which move
    if (size_ >= capacity_) grow(size_ + 1);
    data_[size_++] = copy;
  }
  void pop_back() { --size_; }
  T& change(std::size_t index) {
    WW_INVARIANT(index < size_);
    if (is_view_) move_to(size_);
    return data_[index];
  }
  template <class Iterator>
  void append(Iterator from, Iterator to) {
    reserve(size_ + static_cast<std::size_t>(std::distance(from, to)));
    if constexpr (std::contiguous_iterator<Iterator> && std::is_same_v<std::iter_value_t<Iterator>, T>) {
      const auto count = static_cast<std::size_t>(std::distance(from, to));
      if (count > 0) std::memcpy(static_cast<void*>(data_ + size_), std::to_address(from), count * sizeof(T));
      size_ += count;
    } else {
      for (; from != to; ++from) data_[size_++] = *from;
    }
  }
  void resize(std::size_t size, const T& value = T()) {
    reserve(size);
    for (; size_ < size; ++size_) data_[size_] = value;
    size_ = size;
  }
  void assign(std::size_t size, const T& value) {
    size_ = 0;
    resize(size, value);
  }
  void clear() { size_ = 0; }
  void reserve(std::size_t size) {
    if (size > capacity_) grow(size);
  }
  // No more than so many are expected: in a store addresses for them are taken, so that nothing moves.
  void expect(std::size_t most) {
    if (store_ != nullptr && data_ == nullptr && most > 0) move_to(most);
  }
  // Gives back what is not used.
  void trim() {
    if (store_ == nullptr) {
      if (size_ < capacity_ && size_ > 0) move_to(size_);
      return;
    }
    const std::uint64_t used = pages(size_), there = pages(capacity_);
    if (used >= there) return;
    store_->release(reinterpret_cast<char*>(data_) + used, there - used);
    capacity_ = used / sizeof(T);
  }

  const std::shared_ptr<ColumnStore>& store() const { return store_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t index) { return data_[index]; }
  const T& operator[](std::size_t index) const { return data_[index]; }
  T& at(std::size_t index) {
    WW_INVARIANT(index < size_);
    return data_[index];
  }
  const T& at(std::size_t index) const {
    WW_INVARIANT(index < size_);
    return data_[index];
  }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  bool operator==(const Column& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }
  bool operator==(const std::vector<T>& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  static std::uint64_t pages(std::size_t size) {
    constexpr std::uint64_t page = ColumnStore::page_bytes;
    return (size * sizeof(T) + page - 1) / page * page;
  }
  void swap(Column& other) noexcept {
    std::swap(store_, other.store_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(addresses_, other.addresses_);
    std::swap(is_view_, other.is_view_);
  }
  void grow(std::size_t least) {
    least = std::max(least, size_);
    constexpr std::size_t most_growth_bytes = std::size_t{64} << 20;
    const std::size_t more = std::min(std::max<std::size_t>(capacity_, 8), most_growth_bytes / sizeof(T));
    const std::size_t wanted = std::max(least, capacity_ + (store_ == nullptr ? capacity_ / 2 + 8 : more));
    if (store_ != nullptr && wanted <= addresses_) return commit(wanted);
    if (store_ != nullptr && least <= addresses_) return commit(addresses_);
    move_to(store_ == nullptr ? wanted : std::max(wanted, 2 * addresses_));
    if (store_ != nullptr) commit(wanted);
  }
  // In a store: to other addresses, with what is there. In memory: to so much of it.
  void move_to(std::size_t room) {
    if (store_ == nullptr) {
      if (is_view_) {
        Column own;
        own.move_to(room);
        std::copy(begin(), end(), own.data_);
        own.size_ = size_;
        return swap(own);
      }
      auto* moved = static_cast<T*>(std::realloc(static_cast<void*>(data_), room * sizeof(T)));
      if (moved == nullptr) raise<std::bad_alloc>();
      data_ = moved;
      capacity_ = room;
      return;
    }
    char* anew = store_->allocate(pages(room));
    if (size_ > 0) {
      store_->commit(anew, pages(size_));
      std::memcpy(anew, static_cast<const void*>(data_), size_ * sizeof(T));
    }
    const std::size_t size = size_;
    free();
    data_ = reinterpret_cast<T*>(anew);
    size_ = size;
    addresses_ = pages(room) / sizeof(T);
    capacity_ = pages(size) / sizeof(T);
  }
  void commit(std::size_t size) {
    const std::uint64_t there = pages(capacity_), wanted = std::min(pages(size), pages(addresses_));
    if (wanted > there) store_->commit(reinterpret_cast<char*>(data_) + there, wanted - there);
    capacity_ = std::min<std::size_t>(wanted / sizeof(T), addresses_);
  }
  void free() {
    if (store_ == nullptr && !is_view_)
      std::free(static_cast<void*>(data_));
    else if (store_ != nullptr && data_ != nullptr)
      store_->release(reinterpret_cast<char*>(data_), pages(capacity_));
    data_ = nullptr;
    size_ = capacity_ = addresses_ = 0;
    is_view_ = false;
  }

  std::shared_ptr<ColumnStore> store_;
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0, addresses_ = 0;
  bool is_view_ = false;
};

}  // namespace ww
