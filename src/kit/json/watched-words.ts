import { scannedBytes } from '../bytes/find-string-end.ts'
import { InvariantError } from '../errors/invariant-error.ts'

const BACKSLASH = 0x5c
/** The bit that distinguishes a lower-case letter from its upper-case form in ASCII. */
const LOWER_CASE = 0x20

/** Names of members that few bodies have. Without the watcher, a whole body would be searched for each of them. */
const watchedNames = [
  'audio',
  'cachePoint',
  'cache_control',
  'content',
  'data',
  'document',
  'document_url',
  'encrypted_content',
  'encrypted_index',
  'fileData',
  'file_data',
  'file_id',
  'file_url',
  'image',
  'image_url',
  'images',
  'inlineData',
  'inline_data',
  'input_audio',
  'signature',
  'text',
  'thoughtSignature',
  'thought_signature',
  'ttl',
  'type',
  'video',
  'video_url',
] as const

/** Beginnings of the values of members named `type`. */
const watchedTypes = [
  'additional_tools',
  'audio',
  'browser_state',
  'computer_screenshot',
  'container_upload',
  'document',
  'file',
  'image',
  'input_',
  'input_audio',
  'input_file',
  'input_image',
  'input_video',
  'item_reference',
  'tool_addition',
  'video',
] as const

export type WatchedName = (typeof watchedNames)[number]
export type WatchedType = (typeof watchedTypes)[number]

/** A set of watched words, one bit for each word. */
export interface WatchedWords {
  readonly names: number
  readonly types: number
}

export function watchedWords(words: {
  readonly names?: readonly WatchedName[]
  readonly types?: readonly WatchedType[]
}): WatchedWords {
  return { names: bitsOf(watchedNames, words.names), types: bitsOf(watchedTypes, words.types) }
}

function bitsOf<Word extends string>(all: readonly Word[], some: readonly Word[] = []): number {
  return some.reduce((bits, word) => bits | (1 << all.indexOf(word)), 0)
}

const ALL = -1
const everyWord: WatchedWords = { names: ALL, types: ALL }
const noWord: WatchedWords = { names: 0, types: 0 }

/** The bits of the words by the words' hash, in a table without collisions. */
interface WordTable {
  readonly hashes: Int32Array
  readonly bits: Int32Array
  readonly longest: number
}

const SLOTS = 1_024

const names = tableOf(watchedNames)
const types = tableOf(watchedTypes)
const TYPE = hashOf('type')

/**
 * The longest possible spelling of a watched name: an escape writes one character as six. A longer name cannot match.
 */
const MAX_NAME_BYTES = 6 * names.longest

/**
 * Finds the watched words that a JSON text has as a member's name or as the beginning of the value of a member named
 * `type`. Letter case is ignored. An escape may hide any word, so an escape marks all words.
 */
export class WordWatcher {
  #names = 0
  #types = 0
  /** Whether the current member is named `type`. */
  #isType = false

  get isType(): boolean {
    return this.#isType
  }

  /** Reads a whole name of the scanned piece, without its quotes. */
  readName(start: number, end: number): void {
    this.#isType = false
    if (end - start > MAX_NAME_BYTES) return
    let hash = 0
    for (let at = start; at < end; at += 1) {
      const byte = scannedBytes[at] ?? 0
      if (byte === BACKSLASH) {
        this.markAll()
        return
      }
      hash = addTo(hash, byte)
    }
    this.#names |= bitsAt(names, hash)
    this.#isType = hash === TYPE
  }

  /** Reads a whole value of a member named `type`. */
  readType(start: number, end: number): void {
    const last = Math.min(end, start + types.longest)
    let hash = 0
    for (let at = start; at < last; at += 1) {
      const byte = scannedBytes[at] ?? 0
      if (byte === BACKSLASH) {
        this.markAll()
        return
      }
      hash = addTo(hash, byte)
      this.#types |= bitsAt(types, hash)
    }
  }

  /** Marks all words, because a name or a type could not be read. */
  markAll(): void {
    this.#names = ALL
    this.#types = ALL
  }

  end(): WatchedWords {
    if (this.#names === ALL) return everyWord
    if (this.#names === 0 && this.#types === 0) return noWord
    return { names: this.#names, types: this.#types }
  }
}

function bitsAt({ hashes, bits }: WordTable, hash: number): number {
  const slot = hash & (SLOTS - 1)
  return hashes[slot] === hash ? (bits[slot] ?? 0) : 0
}

function addTo(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + (byte | LOWER_CASE)) | 0
}

function hashOf(word: string): number {
  return Buffer.from(word).reduce(addTo, 0)
}

function tableOf(words: readonly string[]): WordTable {
  const table = {
    hashes: new Int32Array(SLOTS),
    bits: new Int32Array(SLOTS),
    longest: Math.max(...words.map((word) => word.length)),
  }
  for (const [index, word] of words.entries()) {
    const hash = hashOf(word)
    const slot = hash & (SLOTS - 1)
    if (table.bits[slot] !== 0 && table.hashes[slot] !== hash)
      throw new InvariantError(`${word} shares its slot`)
    table.hashes[slot] = hash
    table.bits[slot] = (table.bits[slot] ?? 0) | (1 << index)
  }
  return table
}
