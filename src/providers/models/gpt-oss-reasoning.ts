import type { Dialect } from '../../wire/dialect.ts'

/** The efforts of OpenAI's open models, where a server takes no other field of reasoning. */
export function gptOssReasoning(model: string): Partial<Dialect> {
  return model.includes('gpt-oss') ? { reasoning: 'effort', efforts: ['low', 'medium', 'high'] } : {}
}
