import { setTimeout as wait } from 'node:timers/promises'

/** Looks again and again until it is so; fails with the description where it never is. */
export async function until(
  description: string,
  isSo: () => boolean,
  { deadlineMs = 10_000, everyMs = 10 } = {},
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
  { deadlineMs = 20_000, everyMs = 20 } = {},
): Promise<void> {
  const giveUpAtMs = performance.now() + deadlineMs
  while (!(await isSo())) {
    if (performance.now() > giveUpAtMs) throw new Error(`never happened: ${description}`)
    await wait(everyMs)
  }
}

/** Waits until a number has not changed for a while, and gives it. */
export async function untilSteady(description: string, read: () => number, stillMs = 300): Promise<number> {
  let last = read()
  let sinceMs = performance.now()
  await until(`${description} is steady`, () => {
    const now = read()
    if (now !== last) sinceMs = performance.now()
    last = now
    return performance.now() - sinceMs >= stillMs
  })
  return last
}
