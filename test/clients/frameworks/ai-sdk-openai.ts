import { createOpenAI } from '@ai-sdk/openai'
import { askWithAiSdk } from './ask-with-ai-sdk.ts'
import type { Framework } from './framework.ts'

const framework: Framework = {
  format: 'chat',
  connect({ gatewayUrl, key, model }) {
    const headgate = createOpenAI({ baseURL: `${gatewayUrl}/v1`, apiKey: key })
    return askWithAiSdk(headgate.chat(model), headgate.embeddingModel(model))
  },
}
export default framework
