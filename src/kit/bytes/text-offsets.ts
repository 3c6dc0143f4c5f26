/** The distance in UTF-16 units between two positions with stored offsets. */
const STRIDE = 1_024

/** The units of an offset that is not in UTF-16 units. */
export type OffsetUnit = 'bytes' | 'characters'

/**
 * Converts offsets into one text from and to UTF-16 units. The text is walked once. After that, each offset costs one
 * search among stored marks, however long the text is, since a provider may list many offsets.
 */
export class TextOffsets {
  readonly text: string
  readonly #unit: OffsetUnit
  /** The bytes or characters before each stride. */
  readonly #marks: number[] = [0]
  readonly length: number

  constructor(text: string, unit: OffsetUnit) {
    this.text = text
    this.#unit = unit
    let count = 0
    for (let at = 0; at < text.length; at += STRIDE) {
      count += this.#count(at, at + STRIDE)
      this.#marks.push(count)
    }
    this.length = count
  }

  /** Converts an offset in UTF-16 units to bytes or characters. */
  from(units: number): number {
    const stretch = Math.floor(units / STRIDE)
    return (this.#marks[stretch] ?? this.length) + this.#count(stretch * STRIDE, units)
  }

  /** Converts an offset to UTF-16 units. An offset inside a character becomes the offset of the character's end. */
  toUnits(offset: number): number {
    const stretch = this.#findStretch(offset)
    let count = this.#marks[stretch] ?? 0
    let at = Math.min(stretch * STRIDE, this.text.length)
    // A stride that begins within a surrogate pair begins where the pair does.
    if (at > 0 && this.#widthAt(at - 1) === 0) at -= 1
    while (count < offset && at < this.text.length) {
      count += this.#widthAt(at)
      at += 1
    }
    return at
  }

  #findStretch(offset: number): number {
    let low = 0
    let high = this.#marks.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#marks[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return low
  }

  #count(from: number, to: number): number {
    let count = 0
    const end = Math.min(to, this.text.length)
    for (let at = from; at < end; at += 1) count += this.#widthAt(at)
    return count
  }

  /** A surrogate pair has its width at its second half. */
  #widthAt(at: number): number {
    const code = this.text.charCodeAt(at)
    const isHigh = code >= 0xd800 && code < 0xdc00
    const isPair = isHigh ? isLow(this.text.charCodeAt(at + 1)) : isLow(code) && isHighAt(this.text, at - 1)
    if (isHigh && isPair) return 0
    if (this.#unit === 'characters') return 1
    if (isPair) return 4
    return code < 0x80 ? 1 : code < 0x800 ? 2 : 3
  }
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}

function isHighAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code < 0xdc00
}
