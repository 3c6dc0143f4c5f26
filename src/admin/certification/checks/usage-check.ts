import { estimateInputTokens } from '../../../canonical/input-size/estimate-input-tokens.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { inputTokensOf } from '../../../canonical/usage.ts'
import { chooseVocabulary } from '../../../providers/models/choose-vocabulary.ts'
import type { ObservedCall } from '../call-channel.ts'
import { ask, OUTPUT_TOKENS, saying } from './ask.ts'
import { type Check, type CheckVerdict, fails, works } from './check.ts'
import { readAnswer, textOf } from './judge-answer.ts'

/** The error of our estimate is below this factor for such texts. Tokens that a provider adds come on top. */
const MAX_FACTOR = 2
const SLACK_TOKENS = 40
/** The same prompt has the same input, streamed or whole. */
const MAX_STREAM_SHARE = 0.02
const STREAM_SLACK_TOKENS = 2

const question = saying(
  'A harbour has three cranes. The first lifts twelve tonnes, the second lifts nine, and the third lifts half of what the first two lift together. Name in two sentences what all of them lift at once, and which of them you would use for a load of eleven tonnes.',
)

/** Whether the reported usage is plausible: close to our own estimate, and the same with and without streaming. */
export const usageCheck: Check = {
  name: 'usage',
  bounds: { calls: 2, inputTokens: 200, outputTokens: OUTPUT_TOKENS },
  *run({ upstreamModel }) {
    const call = ask([question])
    const estimated = estimateInputTokens(
      { ...call.request, model: upstreamModel },
      chooseVocabulary(upstreamModel),
    )
    const whole = readUsage(yield call, upstreamModel)
    if (whole.type === 'judged') return whole.verdict
    const streamed = readUsage(yield ask([question], { stream: true }), upstreamModel)
    if (streamed.type === 'judged') return streamed.verdict
    return judgeUsage({ whole, streamed, estimated })
  },
}

export interface ReportedUsage {
  readonly type: 'reported'
  readonly inputTokens: number
  /** The output without reasoning, as reasoning is not visible here. */
  readonly outputTokens: number
  /** Our own estimate for the text that arrived. */
  readonly estimatedOutput: number
}

function readUsage(
  call: ObservedCall,
  upstreamModel: string,
): ReportedUsage | { readonly type: 'judged'; readonly verdict: CheckVerdict } {
  const answer = readAnswer(call)
  if (answer.type === 'judged') return answer
  const { usage } = call
  if (usage === undefined || usage.isEstimated) return { type: 'judged', verdict: fails('no_usage') }
  return {
    type: 'reported',
    ...sumUsage(usage),
    estimatedOutput: estimateText(textOf(answer.reply), upstreamModel),
  }
}

function sumUsage(usage: Usage) {
  return { inputTokens: inputTokensOf(usage), outputTokens: usage.outputTokens - usage.reasoningTokens }
}

function estimateText(text: string, upstreamModel: string): number {
  const vocabulary = { ...chooseVocabulary(upstreamModel), request: 0 }
  return estimateInputTokens({ model: upstreamModel, stream: false, turns: [saying(text)] }, vocabulary)
}

export interface ComparedUsage {
  readonly whole: ReportedUsage
  readonly streamed: ReportedUsage
  /** Our own estimate of the input. */
  readonly estimated: number
}

function judgeUsage({ whole, streamed, estimated }: ComparedUsage): CheckVerdict {
  const details = {
    reported_input: whole.inputTokens,
    estimated_input: estimated,
    reported_output: whole.outputTokens,
    estimated_output: whole.estimatedOutput,
    streamed_input: streamed.inputTokens,
  }
  if (!isNear(whole.inputTokens, estimated)) return fails('input_far', details)
  const outputs = [whole, streamed]
  if (outputs.some((each) => !isNear(each.outputTokens, each.estimatedOutput)))
    return fails('output_far', details)
  const difference = Math.abs(whole.inputTokens - streamed.inputTokens)
  return difference <= Math.max(STREAM_SLACK_TOKENS, whole.inputTokens * MAX_STREAM_SHARE)
    ? works('usage_fits', details)
    : fails('stream_differs', details)
}

function isNear(reported: number, estimated: number): boolean {
  return (
    reported <= estimated * MAX_FACTOR + SLACK_TOKENS && reported >= (estimated - SLACK_TOKENS) / MAX_FACTOR
  )
}
