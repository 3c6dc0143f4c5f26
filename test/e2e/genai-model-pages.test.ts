import { GoogleGenAI } from '@google/genai'
import { describe, expect, it } from 'vitest'
import { collect } from '../support/collect.ts'
import { type OpenGateway, openGateway } from '../support/open-gateway.ts'
import { testKey } from '../support/start-gateway.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `model-${index + 1}`)

/** A gateway that serves the model `m` and so many more. */
const openWithMore = (count: number) => openGateway({ scripts: [{}], models: numbered(count) })

async function list({ gateway }: OpenGateway, query: string) {
  const answer = await fetch(`${gateway.url}/v1beta/models?${query}`, {
    headers: { 'x-goog-api-key': testKey },
  })
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

describe('Google’s list of models', () => {
  it.each([
    ['of its own size', {}],
    ['of 7', { pageSize: 7 }],
    ['larger than Google’s largest', { pageSize: 5000 }],
  ])('gives all models to Google’s SDK in pages %s', async (_name, config) => {
    await using open = await openWithMore(120)
    const { url: baseUrl } = open.gateway
    const genai = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl } })
    const names = (await collect(await genai.models.list({ config }))).map(({ name }) => name)
    expect(names.toSorted()).toEqual(['m', ...numbered(120)].map((name) => `models/${name}`).toSorted())
  })

  it('has 50 models in a page by default, and names its next page only where there is one', async () => {
    await using open = await openWithMore(50)
    const first = await list(open, '')
    expect(first.body.models).toHaveLength(50)
    const token = first.body.nextPageToken
    const second = await list(open, `pageToken=${encodeURIComponent(token)}`)
    expect([second.body.models.length, 'nextPageToken' in second.body]).toEqual([1, false])
    const exact = await list(open, 'pageSize=51&pageToken=')
    expect([exact.body.models.length, 'nextPageToken' in exact.body]).toEqual([51, false])
    expect((await list(open, 'pageSize=0')).body.models).toHaveLength(50)
  })

  it.each([
    [
      'pageToken=nothing',
      'No page of the list of models has this pageToken. Ask for the first page, without a pageToken.',
    ],
    ['pageSize=-1', 'The query parameter "pageSize" must be a whole number from 0.'],
    ['pageSize=many', 'The query parameter "pageSize" must be a whole number from 0.'],
  ])('refuses %s in Google’s form', async (query, message) => {
    await using open = await openWithMore(1)
    const { status, body } = await list(open, query)
    expect([status, body.error]).toMatchObject([400, { code: 400, status: 'INVALID_ARGUMENT', message }])
  })
})
