import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BodyBytes } from './body-bytes.ts'
import { ObjectScanner } from './object-scanner.ts'
import { scanObject } from './scan-object.ts'

function scan(text: string) {
  return scanObject(BodyBytes.from([Buffer.from(text)]))
}

function faultAtDepth(text: string, maxDepth: number) {
  const scanner = new ObjectScanner({ depth: maxDepth, values: 1_000_000, keysOfObject: 1_000_000 })
  scanner.push(Buffer.from(text))
  return scanner.end().fault
}

function values(text: string): Record<string, string> {
  const scanned = scan(text)
  if ('fault' in scanned) throw new Error(scanned.fault)
  const bytes = Buffer.from(text)
  return Object.fromEntries(
    [...scanned.members.values()].map(({ name, valueStart, valueEnd }) => [
      name,
      bytes.toString('utf8', valueStart, valueEnd),
    ]),
  )
}

describe('the object scan', () => {
  it('finds every member of the outermost object as it is written', () => {
    expect(
      values(' { "model" : "gpt-4o" , "n":2,"messages":[{"role":"user","content":"}\\"]"}], "x":null } '),
    ).toEqual({
      model: '"gpt-4o"',
      n: '2',
      messages: '[{"role":"user","content":"}\\"]"}]',
      x: 'null',
    })
  })

  it('counts the strings in each list that contains only strings', () => {
    const element = fc.oneof(
      { weight: 8, arbitrary: fc.string() },
      fc.constantFrom(1, null, true, [], {}, ['a'], { a: 'b' }),
    )
    const value = fc.oneof(fc.array(element), fc.dictionary(fc.string(), fc.string()), fc.string(), fc.nat())
    fc.assert(
      fc.property(fc.array(value, { maxLength: 8 }), fc.nat(40), (members, cut) => {
        const bytes = Buffer.from(JSON.stringify({ ...members }))
        const scanned = scanObject(BodyBytes.from([bytes.subarray(0, cut), bytes.subarray(cut)]))
        if ('fault' in scanned) throw new Error(scanned.fault.toString())
        const isList = (member: unknown) =>
          Array.isArray(member) && member.every((one) => typeof one === 'string')
        const wanted = members.map((member) => (isList(member) ? Object.keys(member).length : 0))
        expect([...scanned.members.values()].map(({ texts }) => texts)).toEqual(wanted)
      }),
      { numRuns: 2_000 },
    )
  })

  it('reads names with escapes', () => {
    expect(values('{"\\u006dodel":"a"}')).toEqual({ model: '"a"' })
  })

  it.each([
    ['{"model":1,"model":2}', 'model'],
    ['{"model":1,"Model":2}', 'Model'],
    ['{"model":1,"\\u004dodel":2}', 'Model'],
    ['{"key":1,"\u212Aey":2}', '\u212Aey'],
    ['{"service_tier":1,"\u017Fervice_tier":2}', '\u017Fervice_tier'],
  ])('finds the folded duplicate name in %s', (text, name) => {
    expect(scan(text)).toMatchObject({ fault: 'duplicate', name })
  })

  it('allows the same name in different objects', () => {
    expect(values('{"a":{"b":1},"b":2}')).toEqual({ a: '{"b":1}', b: '2' })
  })

  it.each([
    '',
    '{',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    '{"a":1}x',
    '{"a":[}',
    '{"a":[1}',
    '{"a":"b}',
    '{"a":1 "b":2}',
    'hello',
  ])('refuses %j as invalid JSON', (text) => {
    expect(scan(text)).toMatchObject({ fault: 'invalid-json' })
  })

  it.each(['[]', '"text"', '12', 'true', 'null'])('refuses %j, which is not an object', (text) => {
    expect(scan(text)).toMatchObject({ fault: 'not-object' })
  })

  it('counts depth from 1 for the outermost object', () => {
    expect(faultAtDepth('{"a":[[1]]}', 3)).toBeUndefined()
    expect(faultAtDepth('{"a":[[[1]]]}', 3)).toMatchObject({ fault: 'too-deep' })
  })

  it('does not overflow on a body that is nested a million levels deep', () => {
    expect(scan(`{"a":${'['.repeat(1_000_000)}`)).toMatchObject({ fault: 'too-deep' })
  })

  it('finds the same members as JSON.parse, in any object', () => {
    const object = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 })
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const scanned = scan(text)
        if ('fault' in scanned) {
          expect(scanned.fault).toBe('duplicate')
          return
        }
        const parsed = JSON.parse(text)
        const found = Object.entries(values(text)).map(([name, json]) => [name, JSON.parse(json)])
        expect(found).toEqual(Object.entries(parsed).sort(byOrderIn(text)))
      }),
      { numRuns: 2_000 },
    )
  })

  const text = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify({ model: value, 'é\\"': value })),
    fc.string({ maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom('{', '}', '[', ']', '"', '\\\\', ',', ':', 'a', '1', ' '),
      maxLength: 60,
    }),
  )

  function cut(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
    const at = [...new Set(cuts.map((one) => one % (bytes.length + 1)))].sort((a, b) => a - b)
    return [...at, bytes.length].map((end, index) => bytes.subarray(at[index - 1] ?? 0, end))
  }

  it('gives the same result for any chunk boundaries', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 10 }), (json, cuts) => {
        const bytes = Buffer.from(json)
        const chunks = cut(bytes, cuts)
        expect(scanObject(BodyBytes.from(chunks))).toEqual(scanObject(BodyBytes.from([bytes])))
        expect(BodyBytes.from(chunks).text()).toBe(json)
      }),
      { numRuns: 2_000 },
    )
  })

  it('recognizes valid UTF-8 across any chunk boundaries', () => {
    const bytes = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((valid) => Buffer.from(valid)),
      fc.uint8Array({ maxLength: 12 }).map((any) => Buffer.from(any)),
    )
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(60), { maxLength: 8 }), (whole, cuts) => {
        expect(BodyBytes.from(cut(whole, cuts)).inspection.isUtf8).toBe(isUtf8(whole))
      }),
      { numRuns: 2_000 },
    )
  })

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        scanObject(BodyBytes.from([Buffer.from(bytes)]))
        scanObject(BodyBytes.from([Buffer.from('{"a":'), Buffer.from(bytes)]))
      }),
      { numRuns: 2_000 },
    )
  })

  it('detects numbers that a double cannot hold, across any chunk boundaries', () => {
    const wide = fc.constantFrom('1e400', '-1E+999', '1.5e-300', '9007199254740993', '12345678901234567890')
    const narrow = fc.oneof(
      fc.integer().map(String),
      fc.constantFrom('true', 'null', '0.1234567890123', '99999.5'),
    )
    const text = fc
      .oneof(fc.string(), fc.constant('1234567890123456 1e400'))
      .map((said) => JSON.stringify(said))
    const scalar = fc.oneof(
      { arbitrary: narrow, weight: 6 },
      { arbitrary: text, weight: 3 },
      { arbitrary: wide, weight: 1 },
    )
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(' , ')}]`),
        fc
          .array(tie('value'), { maxLength: 3 })
          .map((items) => `{${items.map((item, at) => `"${at}":${item}`).join()}}`),
      ),
    }))
    fc.assert(
      fc.property(value, fc.nat(), fc.boolean(), (written, cut, isPacked) => {
        const json = Buffer.from(isPacked ? `{"a":${written}}` : `{ "a" :\n${written}\n}`)
        const at = cut % json.length
        const { scan: seen } = BodyBytes.from([json.subarray(0, at), json.subarray(at)]).inspection
        const isWide = /(?<![\w.+-])(?:1e400|-1E\+999|1\.5e-300|9007199254740993|12345678901234567890)/.test(
          json.toString().replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'),
        )
        expect(seen.mayHoldWideNumber || !isWide).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('finds no wide numbers in an ordinary body', () => {
    const body = '{"model":"m","n":12,"t":0.25,"messages":[{"content":"1234567890123456 1e400","ok":false}]}'
    expect(BodyBytes.from([Buffer.from(body)]).inspection.scan.mayHoldWideNumber).toBe(false)
  })
})

/** Whole-number names come first in an object's own order, but not in its text. */
function byOrderIn(text: string) {
  const bytes = Buffer.from(text)
  const scanned = scanObject(BodyBytes.from([bytes]))
  const order = 'members' in scanned ? [...scanned.members.values()].map(({ name }) => name) : []
  return ([left]: [string, unknown], [right]: [string, unknown]) => order.indexOf(left) - order.indexOf(right)
}
