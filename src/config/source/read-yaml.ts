import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLError,
} from 'yaml'
import type { ConfigProblem } from '../config-error.ts'
import { describeYamlError, findAliasFault } from './describe-yaml-error.ts'

/** The keys and indexes on the way to a value. */
export type ConfigPath = readonly (string | number)[]

export interface SourcePosition {
  readonly line: number
  readonly column: number
}

export interface ReadYaml {
  /** The file as plain data. An empty file is an empty map. */
  readonly value: unknown
  /** Whether the file has no value at all: no text, or only comments. */
  readonly isEmpty: boolean
  readonly problems: readonly ConfigProblem[]
  /**
   * Finds the position of a value or of its key. Where the value does not exist, this is the position of the nearest
   * value around it.
   */
  locate(path: ConfigPath, part: 'key' | 'value'): SourcePosition
}

/** The limit of values that aliases may expand to. More of them are an attack, or a mistake. */
const MAX_ALIASES = 100

/** A mark of UTF-16 and the zeros between its letters, as they look when they are read as UTF-8. */
const UTF_16 = /^(?:\uFFFD\uFFFD|[^\n]?\0)/
const UTF_16_ADVICE =
  'the file is in UTF-16, as Windows PowerShell writes it; save it as UTF-8, for example with "Out-File -Encoding utf8"'

/** Reads one YAML 1.2 document and records the position of each value. Never throws. Problems do not quote the text. */
export function readYaml(text: string, file: string): ReadYaml {
  if (UTF_16.test(text)) {
    const start = { line: 1, column: 1 }
    const problem = { file, ...start, path: '', message: UTF_16_ADVICE }
    return { value: {}, isEmpty: false, problems: [problem], locate: () => start }
  }
  const lines = new LineCounter()
  // Without `stringKeys`, the library would convert a key that is not a text and print it on standard error.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  const positionAt = (offset: number): SourcePosition => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const emit = (offset: number, words: string): ConfigProblem => ({
    file,
    ...positionAt(offset),
    path: '',
    message: `not valid YAML: ${words}`,
  })
  const locate = (path: ConfigPath, part: 'key' | 'value') =>
    positionAt(
      findOffset(document.contents, {
        path,
        part,
        resolve: (node) => (isAlias(node) ? node.resolve(document) : node),
      }),
    )
  const { contents } = document
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null)
  const errors = listErrors(document)
  if (errors.length > 0) {
    const problems = errors.map(({ code, pos }) => emit(pos[0], describeYamlError(code)))
    return { value: {}, isEmpty, problems, locate }
  }
  const value = toPlainData(document)
  if (value !== undefined) return { value, isEmpty, problems: [], locate }
  const { offset, message } = findAliasFault(document)
  return { value: {}, isEmpty, problems: [emit(offset, message)], locate }
}

/**
 * Lists a document's errors. Where nesting is too deep, the parser also reports the missing ends of all brackets around
 * it, so only the first error is reported. After a text that does not belong somewhere, the parser reports each text
 * up to the end of the file, so only the first of these is reported.
 */
function listErrors({ errors, warnings }: Document): readonly YAMLError[] {
  const tooDeep = errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION')
  if (tooDeep !== undefined) return [tooDeep]
  const misplaced = errors.find(({ code }) => code === 'UNEXPECTED_TOKEN')
  const own = errors.filter((error) => error.code !== 'UNEXPECTED_TOKEN' || error === misplaced)
  return [...own, ...warnings]
}

/** Converts the document to plain data. Undefined where aliases make it endless. */
function toPlainData(document: Document): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}
    // Throws for a value that contains itself.
    JSON.stringify(value)
    return value
  } catch {
    // The package has no class or code for an alias bomb, and `JSON.stringify` throws for a value that contains itself.
    return undefined
  }
}

interface OffsetSearch {
  readonly path: ConfigPath
  readonly part: 'key' | 'value'
  /** Resolves an alias to its node. */
  readonly resolve: (node: unknown) => unknown
}

/** Follows the path as far as the document has it. */
function findOffset(contents: unknown, { path, part, resolve }: OffsetSearch): number {
  let node = contents
  let offset = offsetOf(node)
  for (const [depth, step] of path.entries()) {
    const child = findChild(resolve(node), step)
    if (child === undefined) break
    const isLast = depth === path.length - 1
    offset =
      (isLast && part === 'key' ? offsetOf(child.key) : offsetOf(child.value)) ??
      offsetOf(child.key) ??
      offset
    node = child.value
  }
  return offset ?? 0
}

function findChild(node: unknown, step: string | number): { key: unknown; value: unknown } | undefined {
  if (isSeq(node)) {
    const value = node.items[Number(step)]
    return value === undefined ? undefined : { key: value, value }
  }
  if (!isMap(node)) return undefined
  return node.items.find((pair: Pair) => isScalar(pair.key) && String(pair.key.value) === String(step))
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}

function isNode(node: unknown): node is Node {
  return typeof node === 'object' && node !== null && 'range' in node
}
