import { expect, it } from 'vitest'
import { readMediaUrl } from './media-url.ts'

it.each([
  ['https://a.example/b.png', { type: 'url', url: 'https://a.example/b.png' }],
  ['data:image/png;base64,AAAA', { type: 'base64', mediaType: 'image/png', data: 'AAAA' }],
  ['data:;base64,AAAA', { type: 'base64', mediaType: '', data: 'AAAA' }],
  [
    'data:text/plain;charset=utf-8,%C3%A9',
    { type: 'base64', mediaType: 'text/plain;charset=utf-8', data: 'w6k=' },
  ],
  ['data:image/svg+xml,%E0%A4%A', { type: 'url', url: 'data:image/svg+xml,%E0%A4%A' }],
  ['data:image/png', { type: 'url', url: 'data:image/png' }],
])('reads %s', (url, source) => {
  expect(readMediaUrl(url)).toEqual(source)
})
