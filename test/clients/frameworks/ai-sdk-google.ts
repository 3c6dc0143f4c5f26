import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { askWithAiSdk } from './ask-with-ai-sdk.ts'
import type { Framework } from './framework.ts'

const framework: Framework = {
  format: 'gemini',
  connect({ gatewayUrl, key, model }) {
    const headgate = createGoogleGenerativeAI({ baseURL: `${gatewayUrl}/v1beta`, apiKey: key })
    return askWithAiSdk(headgate(model), headgate.embeddingModel(model))
  },
}
export default framework
