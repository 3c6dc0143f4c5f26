/** The output caps by the beginning of the model's name, the most specific first. */
const outputCapsByName: readonly (readonly [RegExp, number])[] = [
  [/^gpt-5(?:\.\d+)?-chat/, 16_384],
  [/^gpt-[5-9]/, 128_000],
  [/^gpt-4\.1/, 32_768],
  [/^gpt-4o-2024-05-13/, 4_096],
  [/^(?:chatgpt-4o|gpt-4o|gpt-4\.5)/, 16_384],
  [/^gpt-4-(?:turbo|\d{4}-preview|vision)/, 4_096],
  [/^gpt-4/, 8_192],
  [/^gpt-3\.5-turbo/, 4_096],
  [/^o1-mini/, 65_536],
  [/^o1-preview/, 32_768],
  [/^o\d/, 100_000],
]

/**
 * The largest output cap that OpenAI accepts for the model with this name. OpenAI refuses a larger cap, and callers of
 * other formats send the cap of their own models (https://platform.openai.com/docs/models and each model's page, seen
 * 2026-11-20). Undefined for unknown models.
 */
export function openaiOutputCap(name: string): number | undefined {
  return outputCapsByName.find(([pattern]) => pattern.test(name))?.[1]
}
