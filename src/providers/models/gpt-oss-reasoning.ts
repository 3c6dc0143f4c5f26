import type { Dialect } from '../../wire/dialect.ts'

/** The efforts of OpenAI's open-weight models, where a server accepts no other reasoning field. */
export function gptOssReasoning(model: string): Partial<Dialect> {
  return model.includes('gpt-oss') ? { reasoning: 'effort', efforts: ['low', 'medium', 'high'] } : {}
}
