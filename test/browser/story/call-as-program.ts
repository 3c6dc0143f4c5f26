import OpenAI, { APIError } from 'openai'
import type { StartedGateway } from '../../support/start-gateway.ts'

const question = {
  model: 'gpt-4o',
  max_tokens: 60,
  messages: [{ role: 'user', content: 'Why does it rain?' }],
} as const

export async function ask({ url }: StartedGateway, apiKey: string): Promise<string> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
  const { choices } = await client.chat.completions.create({ ...question, messages: [...question.messages] })
  return choices[0]?.message.content ?? ''
}

export async function askUntilRefused(gateway: StartedGateway, apiKey: string): Promise<APIError> {
  for (let count = 0; count < 100; count += 1) {
    try {
      await ask(gateway, apiKey)
    } catch (error) {
      if (error instanceof APIError) return error
      throw error
    }
  }
  throw new Error('the budget refused nothing')
}

/** The models that a key may call. */
export async function listModels({ url }: StartedGateway, apiKey: string): Promise<readonly string[]> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
  const { data } = await client.models.list()
  return data.map(({ id }) => id)
}
