import type { LossList } from '../../canonical/loss.ts'
import type { RequestContext } from './request-context.ts'

interface Sampling {
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
}

/** The provider's defaults. A model that refuses other values accepts these, explicit or absent. */
const DEFAULT_TEMPERATURE = 1
const DEFAULT_TOP_P = 1
/** The smallest `top_p` that is allowed with thinking. */
const MIN_THINKING_TOP_P = 0.95

/**
 * The values of temperature, `top_p` and `top_k` that the model accepts. The format's maximum temperature is 1.
 * Thinking allows only a temperature of 1, and no `top_k` (docs/build-with-claude/extended-thinking, seen 2026-11-20).
 */
export function fitSampling({ request, dialect, losses }: RequestContext, isThinking: boolean): Sampling {
  const capped = capTemperature(request, losses)
  const sampling = dialect.messagesModel?.sampling ?? 'both'
  if (sampling === 'none') return keepDefaults(capped, losses)
  const fitted = isThinking ? fitThinking(capped, losses) : capped
  return sampling === 'one' ? keepOne(fitted, losses) : fitted
}

function capTemperature({ temperature, topP, topK }: Sampling, losses: LossList): Sampling {
  if (temperature !== undefined && temperature > 1) losses.lose('sampling', 'approximated')
  return {
    ...(temperature === undefined ? {} : { temperature: Math.min(temperature, 1) }),
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
  }
}

/** Leaves out explicit defaults. Any other value is a declared loss. */
function keepDefaults({ temperature, topP, topK }: Sampling, losses: LossList): Sampling {
  if ((temperature ?? DEFAULT_TEMPERATURE) !== DEFAULT_TEMPERATURE) loseTemperature(losses)
  if ((topP ?? DEFAULT_TOP_P) !== DEFAULT_TOP_P) loseTopP(losses)
  if (topK !== undefined) losses.lose('top-k', 'dropped')
  return {}
}

function fitThinking({ temperature, topP, topK }: Sampling, losses: LossList): Sampling {
  const keepsTemperature = temperature === undefined || temperature === DEFAULT_TEMPERATURE
  const keepsTopP = topP === undefined || (topP >= MIN_THINKING_TOP_P && topP <= 1)
  if (!keepsTemperature) loseTemperature(losses)
  if (!keepsTopP) loseTopP(losses)
  if (topK !== undefined) losses.lose('top-k', 'dropped')
  return {
    ...(temperature !== undefined && keepsTemperature ? { temperature } : {}),
    ...(topP !== undefined && keepsTopP ? { topP } : {}),
  }
}

/** Keeps either temperature or `top_p`, whichever differs from its default. If both do, keeps the temperature. */
function keepOne({ temperature, topP, topK }: Sampling, losses: LossList): Sampling {
  const rest = topK === undefined ? {} : { topK }
  if (topP === undefined) return { ...rest, ...(temperature === undefined ? {} : { temperature }) }
  if (temperature === undefined || temperature === DEFAULT_TEMPERATURE) return { ...rest, topP }
  if (topP !== DEFAULT_TOP_P) loseTopP(losses)
  return { ...rest, temperature }
}

function loseTemperature(losses: LossList): void {
  losses.lose('sampling', 'dropped')
}

function loseTopP(losses: LossList): void {
  losses.lose('sampling', 'dropped', 'top_p')
}
