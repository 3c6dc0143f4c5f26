import { describe, expect, it } from 'vitest'
import { countPdfPages } from './count-pdf-pages.ts'

const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64')

describe('the page count of a PDF', () => {
  it('counts uncompressed page objects but not the page tree', () => {
    const page = '1 0 obj <</Type /Page /Parent 9 0 R>> endobj\n'
    const tree = '9 0 obj <</Type/Pages /Count 3>> endobj\n'
    expect(countPdfPages(base64(`%PDF-1.7\n${page}${page}${page.replace('Type /', 'Type/')}${tree}`))).toBe(3)
  })

  it('is estimated from the size if no page is visible, and is at least one', () => {
    expect(countPdfPages(base64('%PDF-1.7'))).toBe(1)
    expect(countPdfPages(base64('x'.repeat(400_000)))).toBe(10)
  })
})
