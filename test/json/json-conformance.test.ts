import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BodyBytes, MAX_BODY_DEPTH, MAX_BODY_VALUES, MAX_OBJECT_KEYS } from '../../src/kit/json/body-bytes.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../src/kit/json/json.ts'
import { foldMemberName, scanObject } from '../../src/kit/json/scan-object.ts'
import { MAX_NUMBER_CHARACTERS } from '../../src/kit/json/string-scanner.ts'
import { bad, free, good, hexadecimal } from './cases.ts'

type Verdict = 'accepted' | 'refused'

/** The verdict of the verbatim lane on a body that comes in these chunks. */
function verdictOf(chunks: readonly Buffer[]): Verdict {
  const body = BodyBytes.from(chunks)
  return body.inspection.isUtf8 && 'members' in scanObject(body) ? 'accepted' : 'refused'
}

/** The verdict of JSON.parse, and of the limits that are stated for bodies beside it. */
function expectedOf(bytes: Buffer): Verdict {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value: JsonValue = JSON.parse(text)
    return isJsonObject(value) && isWithinLimits(value) && !hasLongNumber(text) && !hasDuplicate(text)
      ? 'accepted'
      : 'refused'
  } catch {
    return 'refused'
  }
}

function isWithinLimits(value: JsonValue): boolean {
  return depthOf(value) <= MAX_BODY_DEPTH
}

function depthOf(value: JsonValue | undefined): number {
  if (isJsonArray(value)) return 1 + Math.max(0, ...value.map(depthOf))
  if (isJsonObject(value)) return 1 + Math.max(0, ...Object.values(value).map(depthOf))
  return 0
}

/** Expects a text that is JSON. */
function hasLongNumber(text: string): boolean {
  const numbers = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/[-+.\deE]+/g) ?? []
  return numbers.some((one) => /\d/.test(one) && one.length > MAX_NUMBER_CHARACTERS)
}

/** Whether the outermost object of a text that is JSON has a name twice, letter case aside. */
function hasDuplicate(text: string): boolean {
  const names = new Set<string>()
  let depth = 0
  let last = ''
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (token !== ':') last = token
    else if (depth === 1) {
      const name = foldMemberName(JSON.parse(last))
      if (names.has(name)) return true
      names.add(name)
    }
  }
  return false
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}

const cases = [...[...good, ...bad, ...free].map((text) => Buffer.from(text)), ...hexadecimal.map(bytesOf)]

/** The bodies with a text by itself, and as the value of a member before and behind others. */
function bodiesWith(bytes: Buffer): readonly Buffer[] {
  return [
    bytes,
    Buffer.concat([Buffer.from('{"a":'), bytes, Buffer.from('}')]),
    Buffer.concat([Buffer.from('{"x":[1,'), bytes, Buffer.from('],"y":{"z":'), bytes, Buffer.from('}}')]),
  ]
}

describe('the collection of JSON texts', () => {
  it('is large enough, and JSON.parse agrees with its classes', () => {
    expect(new Set(cases.map((bytes) => bytes.toString('hex'))).size).toBeGreaterThan(400)
    for (const text of good) expect(() => JSON.parse(text), text).not.toThrow()
    for (const text of bad) expect(() => JSON.parse(text), text).toThrow()
  })
})

describe('an unparsed body', () => {
  it('is accepted if and only if JSON.parse and the documented limits accept it', () => {
    const seen = new Set<Verdict>()
    for (const body of cases.flatMap(bodiesWith)) {
      const expected = expectedOf(body)
      seen.add(expected)
      expect(verdictOf([body]), body.toString()).toBe(expected)
    }
    expect(seen.size).toBe(2)
  })

  it('gets the same verdict for every split into two parts', () => {
    for (const body of cases.flatMap(bodiesWith)) {
      const expected = expectedOf(body)
      const wrong = Array.from({ length: body.length + 1 }, (_, at) => at).filter(
        (at) => verdictOf([body.subarray(0, at), body.subarray(at)]) !== expected,
      )
      expect(wrong, body.toString()).toEqual([])
    }
  })

  it('gets the same verdict if it arrives byte by byte', () => {
    for (const body of cases.flatMap(bodiesWith)) {
      const single = Array.from(body, (_, at) => body.subarray(at, at + 1))
      expect(verdictOf(single), body.toString()).toBe(expectedOf(body))
    }
  })

  it.each([
    ['values', (count: number) => `{"a":[${'1,'.repeat(count - 1)}1]}`, MAX_BODY_VALUES],
    ['empty arrays', (count: number) => `{"a":[${'[],'.repeat(count / 2 - 1)}[]]}`, MAX_BODY_VALUES],
    ['fields in one object', (count: number) => `{"a":{${fields(count)}}}`, MAX_OBJECT_KEYS],
    ['fields of its own', (count: number) => `{${fields(count)}}`, MAX_OBJECT_KEYS],
  ])('may contain so many %s and no more', (_what, write, max) => {
    expect(verdictOf([Buffer.from(write(max))])).toBe('accepted')
    expect(verdictOf([Buffer.from(write(max + 2))])).toBe('refused')
  })

  function fields(count: number): string {
    return Array.from({ length: count }, (_, index) => `"f${index}":1`).join()
  }
})

describe('a nearly valid JSON body', () => {
  const pieces = [
    ...'{}[]:,"\\/+-.0123456789eEntfu \t\n\r\'#*`x\u0000\u001f\u007f',
    'true',
    'null',
    '\\u',
    '\\u12aF',
    '\\n',
    '""',
    '/*"*/',
    '//',
    '01',
    'é',
  ].map((piece) => Buffer.from(piece))
  const change = fc.record({
    at: fc.nat(),
    removed: fc.nat({ max: 2 }),
    added: fc.oneof(
      fc.constantFrom(...pieces),
      fc.uint8Array({ maxLength: 2 }).map((bytes) => Buffer.from(bytes)),
      fc.constant(Buffer.alloc(0)),
    ),
  })
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.array(fc.oneof(fc.double({ noNaN: true }), fc.integer(), fc.maxSafeInteger())),
  )
  const written = fc
    .tuple(
      fc.dictionary(fc.string({ maxLength: 6 }), value, { maxKeys: 5 }),
      fc.constantFrom(undefined, 1, '\t'),
    )
    .map(([object, indent]) => Buffer.from(JSON.stringify(object, null, indent)))

  function spoil(bytes: Buffer, changes: readonly { at: number; removed: number; added: Buffer }[]): Buffer {
    return changes.reduce((before, { at, removed, added }) => {
      const from = at % (before.length + 1)
      return Buffer.concat([before.subarray(0, from), added, before.subarray(from + removed)])
    }, bytes)
  }

  function cut(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
    const at = [...new Set(cuts.map((one) => one % (bytes.length + 1)))].sort((a, b) => a - b)
    return [...at, bytes.length].map((end, index) => bytes.subarray(at[index - 1] ?? 0, end))
  }

  it('is accepted if and only if JSON.parse accepts it', () => {
    fc.assert(
      fc.property(
        written,
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(400), { maxLength: 6 }),
        (bytes, changes, cuts) => {
          const body = spoil(bytes, changes)
          expect(verdictOf(cut(body, cuts))).toBe(expectedOf(body))
        },
      ),
      { numRuns: 5_000 },
    )
  })

  it('is refused for a fault anywhere in a long string', () => {
    const unit = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('a', 'é', '中', '🙂', ' ', '/', "'", '{', 'some plain words') },
      {
        weight: 6,
        arbitrary: fc.constantFrom('\\\\', '\\"', '\\n', '\\/', '\\u00e9', '\\uD83D', '\\\\\\\\\\"'),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom('\\', '"', '\n', '\\x', '\\u12', '\\u12g4', '\u0000', '\\u', '\\\\\\'),
      },
    )
    fc.assert(
      fc.property(
        fc.nat(70),
        fc.array(unit, { maxLength: 60 }),
        fc.array(fc.nat(400), { maxLength: 4 }),
        (before, units, cuts) => {
          const body = Buffer.from(`{"a":"${'.'.repeat(before)}${units.join('')}","b":"${units.join('')}"}`)
          expect(verdictOf(cut(body, cuts))).toBe(expectedOf(body))
        },
      ),
      { numRuns: 5_000 },
    )
  })

  it('is read equally in chunks of any length', () => {
    const long = (end: string) => Buffer.from(`{"a":"${'x\\n\\\\'.repeat(40_000)}${end}"}`)
    expect(verdictOf([long('')])).toBe('accepted')
    expect(verdictOf([long('\\')])).toBe('refused')
    expect(verdictOf([long('\\q')])).toBe('refused')
  })
})
