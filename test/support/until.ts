import { setTimeout as wait } from 'node:timers/promises'

/** Looks again and again until it is so; fails with the description where it never is. */
export async function until(
  description: string,
  isSo: () => boolean,
  { deadlineMs = 30_000, everyMs = 10 } = {},
): Promise<void> {
  const giveUpAtMs = performance.now() + deadlineMs
  while (!isSo()) {
    if (performance.now() > giveUpAtMs) throw new Error(`never happened: ${description}`)
    await wait(everyMs)
  }
}

/** The same, where looking takes a while. */
export async function untilAsync(
  description: string,
  isSo: () => Promise<boolean>,
  { deadlineMs = 30_000, everyMs = 20 } = {},
): Promise<void> {
  const giveUpAtMs = performance.now() + deadlineMs
  while (!(await isSo())) {
    if (performance.now() > giveUpAtMs) throw new Error(`never happened: ${description}`)
    await wait(everyMs)
  }
}

/** The exchanges that pass before a number counts as steady; the event loop turns several times with each. */
const STEADY_EXCHANGES = 20
const MAX_EXCHANGES = 20_000

/**
 * Gives a number once it no longer changes while the process is at work: `exchange` is a whole exchange with it on
 * another connection.
 */
export async function untilSteady(
  description: string,
  read: () => number,
  exchange: () => Promise<unknown>,
): Promise<number> {
  let last = read()
  let unchanged = 0
  for (let exchanges = 0; unchanged < STEADY_EXCHANGES; exchanges += 1) {
    if (exchanges === MAX_EXCHANGES) throw new Error(`never steady: ${description}`)
    await exchange()
    const now = read()
    unchanged = now === last ? unchanged + 1 : 0
    last = now
  }
  return last
}
