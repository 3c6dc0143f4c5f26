import type { Dialect } from '../../wire/dialect.ts'

/**
 * The order of turns that a model takes at a service that serves many makers. Mistral's models keep the order of their
 * maker's own service there (github.com/charmbracelet/crush/issues/279 for OpenRouter,
 * github.com/NousResearch/hermes-agent/issues/20154 for NVIDIA, github.com/mistralai/mistral-vibe/issues/578 for vLLM,
 * github.com/aliou/pi-neuralwatt/issues/12 for other servers of the format, seen 2026-11-30).
 */
export function turnOrderOf(model: string): Dialect['turnOrder'] {
  return model.startsWith('mistralai/') ? 'reply-after-tools' : 'any'
}
