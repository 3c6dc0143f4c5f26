import type { CallOutcome, ChannelCall, ObservedCall } from '../../../src/admin/certification/call-channel.ts'
import type { Check, CheckVerdict } from '../../../src/admin/certification/checks/check.ts'
import type { AssistantBlock } from '../../../src/canonical/content.ts'

/** A word that the checks of a test are given. */
export const checkWord = 'velmora'

/** Runs a check on answers given in turn, and returns its calls and what it concludes. Throws where it asks on. */
export function runCheck(
  check: Check,
  ...answers: readonly ObservedCall[]
): { readonly calls: readonly ChannelCall[]; readonly verdict: CheckVerdict } {
  const run = check.run({ word: checkWord, upstreamModel: 'gpt-5' })
  const calls: ChannelCall[] = []
  let step = run.next()
  for (const answer of answers) {
    if (step.done) break
    calls.push(step.value)
    step = run.next(answer)
  }
  if (!step.done) throw new Error(`the check ${check.name} asks on after ${calls.length} answers`)
  return { calls, verdict: step.value }
}

export function observed(outcome: CallOutcome, more: Partial<ObservedCall> = {}): ObservedCall {
  return { requestId: 'req_1', outcome, usage: undefined, cost: undefined, totalMs: 1_000, ...more }
}

/** A call that was answered with these blocks; `contentAtMs` are the times of a stream's content. */
export function answered(
  content: readonly AssistantBlock[],
  { contentAtMs, ...more }: Partial<ObservedCall> & { readonly contentAtMs?: readonly number[] } = {},
): ObservedCall {
  const reply = { id: 'r', model: 'm', choices: [{ content, stopReason: 'end' as const }] }
  return observed({ type: 'reply', reply, stream: contentAtMs && { contentAtMs } }, more)
}

export function saidText(text: string): readonly AssistantBlock[] {
  return [{ type: 'text', text }]
}

/** A call that the channel's provider refused. */
export function refused(code: string): ObservedCall {
  return observed({ type: 'failed', code, message: 'no', upstreamStatus: 400 })
}
