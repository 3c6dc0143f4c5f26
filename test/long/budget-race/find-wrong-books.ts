import type { RacedBooks, SpentByKey } from './open-raced-gateway.ts'
import { BUDGETS_A_ROUND, type RaceRound } from './race-round.ts'

type Window = RacedBooks['windows'][number]

/**
 * Finds what is wrong after the end: every window is at most at its limit and the sum of its rows, and nothing is held.
 */
export function findWrongBooks(rounds: readonly RaceRound[], books: RacedBooks): readonly string[] {
  const wrong = rounds.flatMap((round) => {
    const key = books.keys.find(({ name }) => name === round.key)
    const windows = books.windows.filter(({ counter }) => isOfRound(counter, round, key))
    const found = windows.flatMap((window) => judgeWindow(window, round.limit, key))
    if (windows.length !== BUDGETS_A_ROUND) found.push(`${windows.length} windows are there`)
    return found.map((fault) => `${round.name}: ${fault}`)
  })
  const cost = books.keys.reduce((sum, key) => sum + key.cost, 0)
  const whole = books.windows.find(({ counter }) => counter.startsWith('installation/'))
  if (whole?.spent !== cost) wrong.push(`the installation has spent ${whole?.spent}, its rows cost ${cost}`)
  if (books.windows.length !== rounds.length * BUDGETS_A_ROUND + 1)
    wrong.push(`${books.windows.length} windows are there for ${rounds.length} rounds`)
  if (books.openIntents > 0) wrong.push(`${books.openIntents} intents are left`)
  return wrong
}

/** An ID of a counter holds the name of its budget or, of a budget that a key has itself, the ID of the key. */
function isOfRound(counter: string, { number }: RaceRound, key: SpentByKey | undefined): boolean {
  return counter.includes(`/round-${number}-`) || (key !== undefined && counter.startsWith(`key/${key.id}/`))
}

function judgeWindow({ counter, spent }: Window, limit: number, key: SpentByKey | undefined): string[] {
  const wrong: string[] = []
  if (spent > limit) wrong.push(`${counter} is ${spent - limit} nano-dollars over its limit`)
  if (spent !== key?.cost && spent !== key?.charged)
    wrong.push(`${counter} has ${spent}, its rows cost ${key?.cost} and charge ${key?.charged}`)
  return wrong
}
