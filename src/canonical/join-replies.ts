import { addUsage } from './add-usage.ts'
import type { Reply } from './reply.ts'

/** Answers to several requests as the answers to one: choices in order, usage added up, the rest as the first says. */
export function joinReplies(first: Reply, others: readonly Reply[]): Reply {
  const all = [first, ...others]
  const usages = all.map(({ usage }) => usage)
  const usage = usages.reduce((sum, one) => (sum && one ? addUsage(sum, one) : undefined))
  const { usage: _usage, ...rest } = first
  const choices = all.flatMap((reply) => reply.choices)
  return usage === undefined ? { ...rest, choices } : { ...rest, choices, usage }
}
