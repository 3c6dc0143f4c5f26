import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { askWithLangchain } from './ask-with-langchain.ts'
import type { Framework } from './framework.ts'

const framework: Framework = {
  format: 'chat',
  connect({ gatewayUrl, key, model }) {
    const options = { model, apiKey: key, configuration: { baseURL: `${gatewayUrl}/v1` } }
    const embeddings = new OpenAIEmbeddings(options)
    return {
      ...askWithLangchain(new ChatOpenAI(options)),
      embed: (texts) => embeddings.embedDocuments(texts),
    }
  },
}
export default framework
