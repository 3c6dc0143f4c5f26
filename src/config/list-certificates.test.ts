import { expect, it } from 'vitest'
import { readCertificate } from '../../test/support/certificate.ts'
import { createCertificateReader } from './list-certificates.ts'

it('every certificate of a file is listed, since an old one may be next to the one in use', () => {
  const cert = readCertificate('first.crt') + readCertificate('expired.crt')
  const read = createCertificateReader()
  const found = read({ tls: { cert, key: '' }, channels: [] })
  expect(found.map(({ id, expiresAtMs }) => [id, new Date(expiresAtMs).getUTCFullYear()])).toEqual([
    ['tls', 2126],
    ['tls', 2021],
  ])
})
