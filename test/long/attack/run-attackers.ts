// A process of its own: the hostile upstream, and hostile callers at the rate that the parent asks for.
// Prints the upstream's origin; takes a line of JSON on standard input for each order, and answers each with a line.

import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { createChance } from '../create-chance.ts'
import { type Attack, attacks, type Target } from './hostile-callers.ts'
import { openHostileUpstream } from './hostile-upstream.ts'

export type Order =
  | {
      readonly type: 'one'
      readonly name: string
      readonly count: number
      readonly atOnce: number
      readonly target: Target
    }
  | { readonly type: 'mixed'; readonly perSecond: number; readonly seed: number; readonly target: Target }
  | { readonly type: 'stop' }

export interface Report {
  readonly done: number
  /** The first few unexpected results, with what was seen. */
  readonly wrong: readonly string[]
}

const MAX_IN_FLIGHT = 200
const SHOWN_WRONG = 20

setPriority(10)
const upstream = await openHostileUpstream()
process.stdout.write(`${upstream.origin}\n`)

let done = 0
let wrong: string[] = []
let inFlight = 0
let perSecond = 0
let isMixing = false

for await (const line of createInterface({ input: process.stdin })) {
  const order: Order = JSON.parse(line)
  if (order.type === 'one') {
    await repeat(order)
    report()
  } else if (order.type === 'mixed') {
    perSecond = order.perSecond
    if (!isMixing) void mix(order.target, order.seed)
    report()
  } else {
    isMixing = false
    while (inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 50))
    report()
  }
}
upstream.close()
process.exit(0)

function report(): void {
  const said: Report = { done, wrong }
  wrong = []
  process.stdout.write(`${JSON.stringify(said)}\n`)
}

async function repeat({ name, count, atOnce, target }: Extract<Order, { type: 'one' }>): Promise<void> {
  const random = createChance(1).next
  const attack = attacks.find((candidate) => candidate.name === name)
  if (attack === undefined) throw new Error(`no attack ${name}`)
  let left = count
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (; left > 0; ) {
        left -= 1
        await runOne(attack, target, random)
      }
    }),
  )
}

async function mix(target: Target, seed: number): Promise<void> {
  isMixing = true
  const random = createChance(seed).next
  const weighted = attacks.flatMap((attack) => Array.from({ length: attack.weight }, () => attack))
  let owed = 0
  let beforeMs = performance.now()
  while (isMixing) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    const nowMs = performance.now()
    owed = Math.min(owed + ((nowMs - beforeMs) / 1_000) * perSecond, perSecond)
    beforeMs = nowMs
    for (; owed >= 1 && inFlight < MAX_IN_FLIGHT; owed -= 1) {
      const attack = weighted[Math.floor(random() * weighted.length)]
      if (attack !== undefined) void runOne(attack, target, random)
    }
  }
}

async function runOne(attack: Attack, target: Target, random: () => number): Promise<void> {
  inFlight += 1
  const seen = await attack.run(target, random)
  inFlight -= 1
  done += 1
  if (!attack.isExpected(seen) && wrong.length < SHOWN_WRONG) {
    wrong.push(`${attack.name}: ${seen.status} ${JSON.stringify(seen.body.slice(0, 600))}`)
  }
}
