import { both, type ReadyScript, readyScript, streams } from './ready-script.ts'

/** Slow enough for the caller or the gateway to act before it ends. */
const slow = { answer: { words: 60, pace: '100ms' } } as const

/** F45 and F46: the upstream works; the caller disconnects, or the gateway shuts down. */
export const lifecycleFaults: readonly ReadyScript[] = (
  [
    ['F45', 'caller', 'the caller disconnects'],
    ['F46', 'gateway', 'the gateway shuts down'],
  ] as const
).flatMap(([id, actor, what]) => [
  readyScript({
    name: `${id}-waiting`,
    description: `${what} before the answer begins`,
    phase: 'before-content',
    forms: both,
    actor,
    script: { rules: [{ do: { delay: { head: '5s' } } }] },
  }),
  readyScript({
    name: `${id}-streaming`,
    description: `${what} in the middle of a slow stream`,
    phase: 'after-content',
    forms: streams,
    actor,
    script: slow,
  }),
])
