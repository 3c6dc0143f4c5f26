import { CohereRerank } from '@llamaindex/cohere'
import { Document, MetadataMode } from '@llamaindex/core/schema'
import { documents, expectThat, type MediaClient, query, RANKING_MODEL } from '../media/media-client.ts'

const client: MediaClient = {
  tasks: {
    async postprocessNodes({ gatewayUrl, key }) {
      const reranker = new CohereRerank({
        apiKey: key,
        baseUrl: gatewayUrl,
        model: RANKING_MODEL,
        topN: 2,
      })
      const found = documents.map((text) => ({ node: new Document({ text }) }))
      const kept = await reranker.postprocessNodes(found, query)
      expectThat(kept.length === 2, 'two of three', kept)
      const [first] = kept
      expectThat(
        first?.node.getContent(MetadataMode.NONE) === documents[1],
        'the document of the query first',
        kept,
      )
      expectThat(typeof first?.score === 'number', 'a score', first?.score)
    },
  },
}
export default client
