// Removes secrets and what operators' patterns match from the text of a body.
import { createContext, Script } from 'node:vm'
import { tryParsePlainJson } from '../../kit/json/try-parse-json.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { Redactor } from '../../telemetry/redact.ts'

/** The maximum time of an operator's patterns for one body. If they take longer, the body is not stored. */
const PATTERN_LIMIT_MS = 200
const MASK = '[redacted]'
/** The number of times that a string is decoded: arguments of tools are JSON in a string, and may have such strings. */
const MAX_DEPTH = 4

/** A string of JSON, also one at which the text was cut. */
const STRING = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gsu
/** An escape at which a text was cut. */
const CUT_ESCAPE = /\\(?:u[\da-f]{0,3})?$/i

export type Clean = (text: string) => string

/**
 * Creates a cleaner of bodies. A body is JSON, where a string may have escapes: a newline before a number is an `n`
 * there, and a letter may be its code. So strings with escapes are cleaned as their readers see them, too.
 */
export function createCleaner(redactor: Redactor, patterns: readonly string[]): Clean {
  const mask = createMask(patterns)
  return (text) => {
    const endMs = systemClock.monotonicMs() + PATTERN_LIMIT_MS
    const cleanOnce: CleanAll = (texts) =>
      mask(
        texts.map((each) => redactor.redact(each)),
        endMs,
      )
    return cleanAll([text], cleanOnce, MAX_DEPTH)[0] ?? ''
  }
}

type CleanAll = (texts: readonly string[]) => readonly string[]

/** Cleans texts, and then what the strings in them mean. A string without a match stays as it is. */
function cleanAll(texts: readonly string[], cleanOnce: CleanAll, depth: number): readonly string[] {
  const clean = cleanOnce(texts)
  const meanings =
    depth === 0 ? [] : clean.flatMap((text) => [...text.matchAll(STRING)].flatMap(([one]) => decode(one)))
  if (meanings.length === 0) return clean
  const cleanMeanings = cleanAll(meanings, cleanOnce, depth - 1)
  let next = 0
  return clean.map((text) =>
    text.replace(STRING, (one) => {
      if (decode(one).length === 0) return one
      const meaning = cleanMeanings[next]
      const isSame = meaning === meanings[next]
      next += 1
      return isSame ? one : JSON.stringify(meaning)
    }),
  )
}

/** The meaning of a string with escapes, in a list; an empty list where there is nothing to decode. */
function decode(string: string): readonly string[] {
  if (!string.includes('\\')) return []
  const whole = string.endsWith('"') ? tryParsePlainJson(string) : undefined
  const meaning = whole ?? tryParsePlainJson(`${string.replace(CUT_ESCAPE, '')}"`)
  return typeof meaning === 'string' ? [meaning] : []
}

type MaskAll = (texts: readonly string[], endMs: number) => readonly string[]

/** Patterns run in a separate context, since the engine can only stop a slow pattern there. */
function createMask(patterns: readonly string[]): MaskAll {
  if (patterns.length === 0) return (texts) => texts
  const expressions = patterns.map((pattern) => new RegExp(pattern, 'gu'))
  const context = createContext({ expressions, mask: MASK }, { microtaskMode: 'afterEvaluate' })
  const script = new Script(
    'for (const each of expressions) for (let at = 0; at < texts.length; at += 1) texts[at] = texts[at].replace(each, mask)',
  )
  return (given, endMs) => {
    const texts = [...given]
    context['texts'] = texts
    const leftMs = Math.max(1, Math.ceil(endMs - systemClock.monotonicMs()))
    script.runInContext(context, { timeout: leftMs })
    return texts
  }
}
