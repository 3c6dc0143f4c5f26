import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { askWithAiSdk } from './ask-with-ai-sdk.ts'
import type { Framework } from './framework.ts'

const framework: Framework = {
  format: 'chat',
  connect({ gatewayUrl, key, model }) {
    const headgate = createOpenAICompatible({
      name: 'headgate',
      baseURL: `${gatewayUrl}/v1`,
      apiKey: key,
      includeUsage: true,
      supportsStructuredOutputs: true,
    })
    return askWithAiSdk(headgate(model), headgate.embeddingModel(model))
  },
}
export default framework
