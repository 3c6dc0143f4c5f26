import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BodyBytes } from '../kit/json/body-bytes.ts'
import type { CallerFormat } from './caller-format.ts'
import { chatFormat } from './chat/format.ts'
import { bedrockConverseFormat } from './converse/caller-format.ts'
import { geminiFormat } from './gemini/format.ts'
import { messagesFormat } from './messages/format.ts'
import { ollamaChatFormat } from './ollama/format.ts'
import { responsesFormat } from './responses/format.ts'
import type { SpendingTerms } from './spending-terms.ts'

/** What a search of the plainest text of a body finds, its escapes and white space aside; the terms must find it, too. */
interface Search {
  readonly format: CallerFormat
  /** The field that is searched, and what stands before it in a body that its format accepts. */
  readonly field: string
  readonly head: string
  readonly pattern: RegExp
  /** Something that the pattern finds, put into some bodies. */
  readonly found: Value
  readonly finds: (terms: SpendingTerms) => boolean
}

const hasMedia = (terms: SpendingTerms) => terms.hasMedia()
const hasStoredInput = (terms: SpendingTerms) => terms.hasStoredInput()
const isMarked = (terms: SpendingTerms) => terms.cacheMarks() !== 'none'
const isMarkedForLong = (terms: SpendingTerms) => terms.cacheMarks() === 'long'
const brings = (tool: string) => (terms: SpendingTerms) =>
  terms.billedTools().some(({ name }) => name === tool)

const inChat = { format: chatFormat, field: 'messages', head: '"model":"m",' }
const inClaude = { format: messagesFormat, field: 'messages', head: '"model":"m","max_tokens":9,' }
const inResponses = { format: responsesFormat, field: 'input', head: '"model":"m",' }
const inGemini = { format: geminiFormat, field: 'contents', head: '' }
const inConverse = { format: bedrockConverseFormat, field: 'messages', head: '' }
const inOllama = { format: ollamaChatFormat, field: 'messages', head: '"model":"m",' }

const cacheMark = /"cache_control":\{/
const longMark = /"cache_control":\{.*"ttl":"1h"/

const searches: readonly (readonly [string, Search])[] = [
  [
    'media of chat',
    {
      ...inChat,
      pattern:
        /"type":"(?:image|file|input_|video|audio|document)|"(?:image_url|input_audio|video_url|document_url|file_id|file_data)":/,
      found: { members: [['type', 'input_audio']] },
      finds: hasMedia,
    },
  ],
  [
    'cache marks of chat',
    {
      ...inChat,
      pattern: cacheMark,
      found: { members: [['cache_control', { members: [['type', 'ephemeral']] }]] },
      finds: isMarked,
    },
  ],
  [
    'long cache marks of chat',
    {
      ...inChat,
      pattern: longMark,
      found: { members: [['cache_control', { members: [['ttl', '1h']] }]] },
      finds: isMarkedForLong,
    },
  ],
  [
    'media of messages',
    {
      ...inClaude,
      pattern: /"type":"(?:image|document|container_upload|browser_state)"/,
      found: { members: [['type', 'container_upload']] },
      finds: hasMedia,
    },
  ],
  [
    'cache marks of messages',
    {
      ...inClaude,
      pattern: cacheMark,
      found: { members: [['cache_control', { members: [['type', 'ephemeral']] }]] },
      finds: isMarked,
    },
  ],
  [
    'long cache marks of messages',
    {
      ...inClaude,
      pattern: longMark,
      found: { members: [['cache_control', { members: [['ttl', '1h']] }]] },
      finds: isMarkedForLong,
    },
  ],
  [
    'added tools of messages',
    {
      ...inClaude,
      pattern: /"type":"tool_addition"/,
      found: { members: [['type', 'tool_addition']] },
      finds: brings('tool_addition'),
    },
  ],
  [
    'media of responses',
    {
      ...inResponses,
      pattern:
        /"type":"(?:input_(?:image|file|audio|video)|computer_screenshot|image_generation_call)"|"(?:image_url|file_id|file_data|file_url)":/,
      found: { members: [['type', 'computer_screenshot']] },
      finds: hasMedia,
    },
  ],
  [
    'stored items of responses',
    {
      ...inResponses,
      pattern: /"type":"item_reference"/,
      found: { members: [['type', 'item_reference']] },
      finds: hasStoredInput,
    },
  ],
  [
    'added tools of responses',
    {
      ...inResponses,
      pattern: /"type":"additional_tools"/,
      found: { members: [['type', 'additional_tools']] },
      finds: brings('additional_tools'),
    },
  ],
  [
    'media of gemini',
    {
      ...inGemini,
      pattern: /"(?:inline_?data|file_?data)":/i,
      found: { members: [['inlineData', null]] },
      finds: hasMedia,
    },
  ],
  [
    'media of converse',
    {
      ...inConverse,
      pattern: /"(?:image|document|video|audio)":\{/,
      found: { members: [['document', { members: [['a', 1]] }]] },
      finds: hasMedia,
    },
  ],
  [
    'cache marks of converse',
    {
      ...inConverse,
      pattern: /"cachePoint":\{/,
      found: { members: [['cachePoint', { members: [['type', 'default']] }]] },
      finds: isMarked,
    },
  ],
  [
    'long cache marks of converse',
    {
      ...inConverse,
      pattern: /"cachePoint":\{.*"ttl":"1h"/,
      found: { members: [['cachePoint', { members: [['ttl', '1h']] }]] },
      finds: isMarkedForLong,
    },
  ],
  [
    'media of ollama',
    { ...inOllama, pattern: /"images":\["/, found: { members: [['images', ['a']]] }, finds: hasMedia },
  ],
]

/** JSON of which a name may be there twice. */
type Member = readonly [string, Value]
type Value = string | number | null | readonly Value[] | { readonly members: readonly Member[] }

const words = searches.flatMap(([, { pattern }]) => pattern.source.match(/[A-Za-z_]{3,}/g) ?? [])
const names = [
  ...new Set([...words, 'inlineData', 'file_data', 'fileData', 'ttl', 'type', 'text', 'é𝒳', '\ud800']),
]
const types = [...new Set([...words, 'input_image', 'input_file', 'computer_screenshot', '1h', 'image_url'])]
/** Long enough to carry what follows over the pieces in which a chunk is scanned. */
const longText = 'x'.repeat(64 * 1024 - 150)

const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...names) },
  { weight: 2, arbitrary: fc.constant('type') },
  { weight: 1, arbitrary: fc.constantFrom('a', 'TYPE', 'x'.repeat(120), 'a"b', 'a\\') },
)
const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...types) },
  { weight: 2, arbitrary: fc.constantFrom('', 'a', 'é𝒳', '\udc00', 'a\\', 'a"b', '\n', '\\u0041') },
  { weight: 1, arbitrary: fc.constant(longText) },
)
const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 7, depthSize: 'medium' },
    text,
    fc.constantFrom(1, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.record({ members: fc.array(fc.tuple(name, tie('value')), { minLength: 1, maxLength: 4 }) }),
    fc.tuple(name, text).map(([called, held]) => ({ members: [[called, held]] as const })),
  ),
}))

const members = fc.array(fc.tuple(name, value), { maxLength: 2 })

/** Writes one of the many texts of a value; `choose` gives a whole number below its argument. */
class Writer {
  readonly #choose: (below: number) => number

  constructor(choose: (below: number) => number) {
    this.#choose = choose
  }

  write(written: Value): string {
    if (typeof written === 'string') return this.#quote(written)
    if (written === null || typeof written === 'number') return `${written}`
    if ('members' in written) {
      const members = written.members.map(
        ([called, held]) =>
          `${this.#gap()}${this.#quote(called)}${this.#gap()}:${this.#gap()}${this.write(held)}`,
      )
      return `{${members.join(',')}${this.#gap()}}`
    }
    return `[${written.map((item) => `${this.#gap()}${this.write(item)}`).join(',')}${this.#gap()}]`
  }

  #gap(): string {
    return ['', '', ' ', '', '', '\n\t', ' \r\n  '][this.#choose(7)] ?? ''
  }

  #quote(plain: string): string {
    const escapesSome = plain.length < 200 && this.#choose(4) === 0
    if (!escapesSome) return JSON.stringify(plain)
    const units = Array.from({ length: plain.length }, (_, at) => plain.slice(at, at + 1))
    return `"${units.map((unit) => this.#unit(unit)).join('')}"`
  }

  #unit(unit: string): string {
    const digits = unit.charCodeAt(0).toString(16).padStart(4, '0')
    const isSpecial = !/^[ !#-[\]-~]$/.test(unit)
    switch (this.#choose(4)) {
      case 0:
        return `\\u${digits}`
      case 1:
        return `\\u${digits.toUpperCase()}`
      default:
        return isSpecial ? `\\u${digits}` : unit
    }
  }
}

const plainly = new Writer(() => 1)

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

function membersOf(from: Value): readonly Member[] {
  return typeof from === 'object' && from !== null && 'members' in from ? from.members : []
}

const RUNS = Number(process.env['RUNS'] ?? 200)

it.each(searches)('the search finds the %s in a body, however the body is written', (_, search) => {
  const { format, field, head, pattern, found, finds } = search
  const held = fc.oneof(
    value,
    fc.tuple(value, value, members, members).map(([before, after, first, last]) => ({
      members: [
        ...first,
        [
          'a',
          [before, { members: [...membersOf(before), ...membersOf(found), ...membersOf(after)] }, after],
        ] as const,
        ...last,
      ],
    })),
  )
  const cuts = fc.array(fc.nat(200_000), { maxLength: 4 })
  fc.assert(
    fc.property(
      held,
      fc.array(fc.nat(1_000), { minLength: 40, maxLength: 40 }),
      cuts,
      (body, choices, cut) => {
        if (!pattern.test(plainly.write(body))) return
        let at = 0
        const writer = new Writer((below) => {
          at = (at + 1) % choices.length
          return (choices[at] ?? 0) % below
        })
        const bytes = Buffer.from(`{${head}"${field}":[${writer.write(body)}]}`)
        const scanned = format.scanRequest(BodyBytes.from(cutAt(bytes, cut)), { model: 'm', isStream: false })
        expect(finds(format.readSpendingTerms(scanned))).toBe(true)
      },
    ),
    { numRuns: RUNS },
  )
})
