import type { Effort } from '../../canonical/request.ts'
import type { Dialect, RefusableField } from '../../wire/dialect.ts'

interface ReasoningModels {
  readonly name: RegExp
  readonly efforts: readonly Effort[]
}

const toHigh = ['low', 'medium', 'high'] as const
const toXhigh = [...toHigh, 'xhigh'] as const

/** The models by the beginning of their names, the most specific first. */
const reasoningByName: readonly ReasoningModels[] = [
  { name: /^o\d/, efforts: toHigh },
  { name: /^gpt-5-pro/, efforts: ['high'] },
  { name: /^gpt-5-codex/, efforts: toHigh },
  { name: /^gpt-5(?![.\d])/, efforts: ['minimal', ...toHigh] },
  { name: /^gpt-5\.\d+-pro/, efforts: ['medium', 'high', 'xhigh'] },
  { name: /^gpt-5\.1-codex(?!-max)/, efforts: toHigh },
  { name: /^gpt-5\.\d+-codex/, efforts: toXhigh },
  { name: /^gpt-5\.1(?!\d)/, efforts: ['none', ...toHigh] },
  { name: /^gpt-5\.[2-5](?!\d)/, efforts: ['none', ...toXhigh] },
]

const ofLaterModels: readonly Effort[] = ['none', ...toXhigh, 'max']

/** The fields for which a reasoning model accepts only the default value. */
const sampling: readonly RefusableField[] = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'logit_bias',
]

/**
 * The dialect of OpenAI's reasoning model with this name: its words for the effort, and the fields that it refuses,
 * always or while it reasons (https://developers.openai.com/api/docs/guides/reasoning and each model's page; efforts as
 * tried in github.com/enricoros/big-AGI/issues/1159 and github.com/anomalyco/models.dev/pull/2296; `stop` by the
 * reference of chat completions and github.com/BerriAI/litellm/pull/28662; `parallel_tool_calls` by
 * github.com/evalstate/fast-agent/issues/279; seen 2026-11-22).
 */
export function openaiReasoning(
  name: string,
): Pick<
  Dialect,
  'efforts' | 'refusedFields' | 'refusedWhileReasoning' | 'reasonsByDefault' | 'acceptsParallelToolCalls'
> {
  const efforts = reasoningByName.find((one) => one.name.test(name))?.efforts ?? ofLaterModels
  const canDisableThinking = efforts.includes('none')
  return {
    efforts,
    refusedFields: canDisableThinking || acceptsStops(name) ? [] : ['stop'],
    refusedWhileReasoning: sampling,
    // Among the models that can turn reasoning off, the earlier ones do not reason by default.
    reasonsByDefault: !canDisableThinking || !/^gpt-5\.[1-4](?!\d)/.test(name),
    acceptsParallelToolCalls: !/^o\d/.test(name),
  }
}

/** The first models that always reason accept stop sequences. */
function acceptsStops(name: string): boolean {
  return /^(?:o1|o3-mini)/.test(name)
}
