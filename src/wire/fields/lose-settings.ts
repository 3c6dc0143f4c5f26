import type { LossFeature, LossList } from '../../canonical/loss.ts'
import type { ChatRequest } from '../../canonical/request.ts'

/**
 * Declares the settings lost that Anthropic's and Bedrock's formats lack. A penalty of zero, one choice and no logprobs
 * lose nothing, since they are the default.
 */
export function loseForeignSettings(request: ChatRequest, losses: LossList): void {
  const unsupported: readonly (readonly [LossFeature, boolean])[] = [
    ['presence-penalty', (request.presencePenalty ?? 0) !== 0],
    ['frequency-penalty', (request.frequencyPenalty ?? 0) !== 0],
    ['seed', request.seed !== undefined],
    ['choices', (request.choices ?? 1) > 1],
    ['logprobs', request.logprobs === true || request.topLogprobs !== undefined],
    ['logit-bias', request.logitBias !== undefined],
    ['verbosity', request.verbosity !== undefined],
  ]
  for (const [feature, isSet] of unsupported) if (isSet) losses.lose(feature, 'dropped')
}

/** The stop sequences without blank ones, which the providers of these formats refuse (Anthropic, seen 2026-11-20). */
export function dropBlankStops(
  sequences: readonly string[] | undefined,
  losses: LossList,
): readonly string[] | undefined {
  const usable = sequences?.filter((sequence) => sequence.trim() !== '')
  if (usable?.length !== sequences?.length) losses.lose('stop-sequences', 'dropped')
  return usable?.length === 0 && sequences?.length !== 0 ? undefined : usable
}
