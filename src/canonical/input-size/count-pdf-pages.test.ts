import { describe, expect, it } from 'vitest'
import { countPdfPages } from './count-pdf-pages.ts'

const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64')

describe('the pages of a PDF', () => {
  it('are counted where its objects stand open, their tree not with them', () => {
    const page = '1 0 obj <</Type /Page /Parent 9 0 R>> endobj\n'
    const tree = '9 0 obj <</Type/Pages /Count 3>> endobj\n'
    expect(countPdfPages(base64(`%PDF-1.7\n${page}${page}${page.replace('Type /', 'Type/')}${tree}`))).toBe(3)
  })

  it('are guessed by size where none can be seen, and are never none', () => {
    expect(countPdfPages(base64('%PDF-1.7'))).toBe(1)
    expect(countPdfPages(base64('x'.repeat(400_000)))).toBe(10)
  })
})
