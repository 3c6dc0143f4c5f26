import type { Chance } from '../create-chance.ts'
import { type AnswerEvent, copyOf, type FuzzAnswer, type Json, type JsonFields } from './write-answer.ts'

/** The change that was made to an answer, as far as it changes what may be expected of it. */
export interface Spoilt {
  /** Blocks whose words may be lost, but never said twice. */
  readonly damaged: Set<number>
  /** The number of events of a block that came twice. */
  readonly repeats: Map<number, number>
  /** The number of them that add words: the upstream itself says those once more. */
  readonly repeatedWords: Map<number, number>
  /** The answer has a field `error` of its own beside its words: a caller of its format may read an error. */
  statesError: boolean
}

/** Made again for each use: a later change of one answer must not change another. */
const oddValues: readonly (() => Json)[] = [
  () => null,
  () => true,
  () => false,
  () => 0,
  () => -1,
  () => 1.5,
  () => 1e308,
  () => 2 ** 53,
  () => '',
  () => 'x',
  () => '\u0000',
  () => '\ud800',
  () => [],
  () => ({}),
  () => [[]],
  () => [null],
  () => ({ toString: 1 }),
  () => ({ a: 1 }),
  () => 'y'.repeat(2_000),
]
const oddNames = [
  'type',
  '__proto__',
  'constructor',
  'toString',
  '',
  'index',
  'id',
  'error',
  'choices',
  'delta',
]

/** Spoils an answer in place, at one to three places. */
export function spoil(answer: FuzzAnswer, chance: Chance): Spoilt {
  const spoilt: Spoilt = {
    damaged: new Set(),
    repeats: new Map(),
    repeatedWords: new Map(),
    statesError: false,
  }
  for (let count = 1 + chance.upTo(3); count > 0 && answer.events.length > 0; count -= 1)
    chance.pick(answer.isStream ? ofStreams : ofWholes)(answer, spoilt, chance)
  return spoilt
}

type Mutation = (answer: FuzzAnswer, spoilt: Spoilt, chance: Chance) => void

const addUnknown: Mutation = ({ events }, _spoilt, chance) => {
  const { data } = chance.pick(events)
  if (!isFields(data)) return
  const position = chance.pick(objectsIn(data))
  position[`x_${chance.upTo(1_000)}`] = chance.next() < 0.5 ? nest(chance) : chance.pick(oddValues)()
}

const endNames = ['finish_reason', 'finishReason']

const changeValue: Mutation = (answer, spoilt, chance) => {
  const event = chance.pick(answer.events)
  for (const block of event.blocks) spoilt.damaged.add(block)
  if (!isFields(event.data)) return
  const changed = changeIn(event.data, chance)
  if (changed === 'error') spoilt.statesError = true
  // An item whose ID is another at the end than in the stream is another item, which says the same once more.
  if (event.type === 'response.completed' && (changed === 'id' || changed === 'call_id'))
    for (const block of event.blocks)
      spoilt.repeatedWords.set(block, (spoilt.repeatedWords.get(block) ?? 0) + 1)
  // It states an end: words behind that may be missing, as where the answer is cut there.
  if (endNames.includes(changed)) for (const block of answer.blocks.keys()) spoilt.damaged.add(block)
}

const ofWholes: readonly Mutation[] = [addUnknown, changeValue, changeValue]

const ofStreams: readonly Mutation[] = [
  addUnknown,
  changeValue,
  changeValue,
  function drop({ events }, { damaged }, chance) {
    const [event] = events.splice(chance.upTo(events.length), 1)
    for (const block of event?.blocks ?? []) damaged.add(block)
  },
  function repeat({ events, format }, { damaged, repeats, repeatedWords }, chance) {
    const at = chance.upTo(events.length)
    const event = events[at]
    if (event === undefined) return
    for (const block of event.blocks) {
      damaged.add(block)
      repeats.set(block, (repeats.get(block) ?? 0) + 1)
      if (addsWords(event, format)) repeatedWords.set(block, (repeatedWords.get(block) ?? 0) + 1)
    }
    events.splice(at, 0, { ...event, data: copyOf(event.data) })
  },
  function swap({ events }, { damaged }, chance) {
    const at = chance.upTo(events.length - 1)
    const [first, second] = [events[at], events[at + 1]]
    if (first === undefined || second === undefined) return
    for (const block of [...first.blocks, ...second.blocks]) damaged.add(block)
    events.splice(at, 2, second, first)
  },
  function renumber({ events }, { damaged }, chance) {
    const event = chance.pick(events)
    for (const block of event.blocks) damaged.add(block)
    if (isFields(event.data)) renumberIn(event.data, chance)
  },
  /** Indices with gaps, the same in every event: nothing may be lost. */
  function leaveGaps({ events, format }, _spoilt, chance) {
    if (format === 'messages') return
    const [factor, offset] = [2 + chance.upTo(3), chance.upTo(3)]
    for (const { data } of events) if (isFields(data)) stretch(data, factor, offset)
  },
  function endEarly({ events }, _spoilt, chance) {
    events.splice(chance.upTo(events.length + 1))
  },
]

/** Starts, ends and wholes add none. */
function addsWords({ type }: AnswerEvent, format: FuzzAnswer['format']): boolean {
  return format === 'chat' || format === 'gemini' || /delta/i.test(type)
}

const indexNames = ['index', 'output_index', 'content_index', 'contentBlockIndex']

function renumberIn(fields: JsonFields, chance: Chance): void {
  for (const inner of objectsIn(fields))
    for (const name of indexNames)
      if (name in inner) inner[name] = chance.pick([0, 1, 2, 7, -1, 1e9, '0', null])
}

function stretch(fields: JsonFields, factor: number, offset: number): void {
  const names = 'choices' in fields ? [] : ['output_index', 'contentBlockIndex']
  for (const inner of objectsIn(fields))
    for (const name of names) {
      const value = inner[name]
      if (typeof value === 'number') inner[name] = value * factor + offset
    }
}

/** The name of the field that was changed, or that came. */
function changeIn(fields: JsonFields, chance: Chance): string {
  const position = chance.pick(objectsIn(fields))
  const names = Object.keys(position)
  if (names.length === 0) return ''
  const name = chance.pick(names)
  const value = position[name] ?? null
  const kind = chance.upTo(4)
  if (kind === 0) delete position[name]
  else if (kind === 1) position[name] = chance.pick(oddValues)()
  else if (kind === 2) position[name] = nest(chance)
  else {
    const odd = chance.pick(oddNames)
    delete position[name]
    Object.defineProperty(position, odd, { value, enumerable: true, configurable: true, writable: true })
    return odd
  }
  return name
}

const shallow = [3, 20, 60] as const
/** Around the bound, and far beyond it. */
const deep = [250, 255, 256, 257, 300, 3_000] as const

/** Deep, or with many members; what is very large is rare, since it costs a hundred small ones. */
function nest(chance: Chance): Json {
  const isLarge = chance.next() < 0.02
  if (chance.next() < 0.2) {
    const length = chance.upTo(isLarge ? 2_000 : 8)
    return Array.from({ length }, () => ({ a: [] }))
  }
  let value: Json = 'deep'
  for (let depth = chance.pick(isLarge ? deep : shallow); depth > 0; depth -= 1)
    value = depth % 2 ? [value] : { a: value }
  return value
}

function objectsIn(value: Json, found: JsonFields[] = [], depth = 0): JsonFields[] {
  if (typeof value !== 'object' || value === null || depth > 12) return found
  if (!Array.isArray(value)) found.push(value)
  for (const inner of Object.values(value)) objectsIn(inner, found, depth + 1)
  return found
}

export function isFields(value: Json): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
