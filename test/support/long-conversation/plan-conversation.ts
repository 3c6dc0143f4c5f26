import type { Random } from '../../../src/kit/random/random.ts'

/** The words of the scripted model, and what its tools then give or the user says next. */
export interface PlannedTurn {
  readonly blocks: readonly PlannedBlock[]
  /** One for each call; empty where the model called nothing. */
  readonly results: readonly PlannedResult[]
  /** The order in which the tools are ready. */
  readonly readyOrder: readonly number[]
  /** The question of the user before this turn; undefined where tools gave something. */
  readonly asked: PlannedQuestion | undefined
}

export type PlannedBlock =
  | { readonly type: 'thought'; readonly text: string; readonly isHidden: boolean }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly input: Readonly<Record<string, string>> }

export interface PlannedResult {
  readonly text: string
  readonly isError: boolean
  readonly hasImage: boolean
}

export interface PlannedQuestion {
  readonly text: string
  readonly hasImage: boolean
}

export const toolNames = ['read_file', 'run', 'look'] as const

/** A picture of one point. */
export const imageData =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The shapes of a turn: `t` thinks, `h` thinks in secret, `w` says words, `c` calls. No turn ends in thoughts. */
const callingShapes = ['tc', 'twcc', 'htwc', 'ccc', 'wc', 'tcwc', 'tctc', 'hc', 'twctwc', 'thwcc'] as const
const endingShapes = ['tw', 'w', 'hw', 'twtw'] as const
const letters: readonly string[] = [
  'Grüße',
  'naïve',
  '✓ done',
  'line\nbreak',
  '"quoted"',
  '\\ back',
  '日本',
  '<b>&',
]

/** A conversation of that many turns of the model; the same for the same seed. */
export function restrictToConversationChannels(random: Random, turnCount: number): readonly PlannedTurn[] {
  const turns: PlannedTurn[] = []
  for (let index = 0; index < turnCount; index += 1) {
    const isEnd = index === turnCount - 1 || random.fraction() < 0.15
    const isAsked = turns.at(-1)?.results.length === 0 || index === 0
    const drawn = pick(random, isEnd ? endingShapes : callingShapes)
    // A model that thinks does so first where it is asked something.
    const shape = isAsked && !/^[th]/.test(drawn) ? `t${drawn}` : drawn
    const blocks = [...shape].map((letter, position) => planBlock(random, letter, `${index}.${position}`))
    const calls = blocks.filter(({ type }) => type === 'call')
    turns.push({
      blocks,
      results: calls.map((_call, position) => ({
        text: `result ${index}.${position}: ${pick(random, letters)}`,
        isError: random.fraction() < 0.15,
        hasImage: random.fraction() < 0.1,
      })),
      readyOrder: shuffle(random, calls.length),
      asked: isAsked ? planQuestion(random, index) : undefined,
    })
  }
  return turns
}

function planBlock(random: Random, letter: string, position: string): PlannedBlock {
  const words = pick(random, letters)
  switch (letter) {
    case 't':
      return { type: 'thought', text: `thought ${position}: ${words}`, isHidden: false }
    case 'h':
      return { type: 'thought', text: `secret ${position}`, isHidden: true }
    case 'w':
      return { type: 'text', text: `words ${position}: ${words} ` }
    default:
      return { type: 'call', name: pick(random, toolNames), input: { path: `/${position}/${words}` } }
  }
}

function planQuestion(random: Random, index: number): PlannedQuestion {
  return { text: `question ${index}: ${pick(random, letters)}`, hasImage: random.fraction() < 0.3 }
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random.fraction() * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

function shuffle(random: Random, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => ({ index, draw: random.fraction() }))
    .sort((one, other) => one.draw - other.draw)
    .map(({ index }) => index)
}
