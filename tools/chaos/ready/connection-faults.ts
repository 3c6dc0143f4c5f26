import { both, type ReadyScript, readyScript, streams } from './ready-script.ts'

const before = { phase: 'before-content', forms: both } as const
const after = { phase: 'after-content', forms: streams } as const

/** F1 to F8: no connection, no answer, or an answer that stops. */
export const connectionFaults: readonly ReadyScript[] = [
  readyScript({
    ...before,
    name: 'F1-dns',
    description: 'the host name does not resolve',
    origin: 'http://nowhere.invalid',
  }),
  readyScript({
    ...before,
    name: 'F2-refused',
    description: 'the connection is refused',
    script: { refuse: [{}] },
  }),
  readyScript({
    ...before,
    name: 'F3-expired',
    description: 'the certificate has expired',
    script: { tls: { certificate: 'expired' } },
  }),
  readyScript({
    ...before,
    name: 'F3-wrong-host',
    description: 'the certificate is for another host name',
    script: { tls: { certificate: 'wrong-host' } },
  }),
  readyScript({
    ...before,
    name: 'F3-self-signed',
    description: 'the certificate is self-signed',
    script: { tls: { certificate: 'self-signed' } },
  }),
  readyScript({
    ...before,
    name: 'F3-old-version',
    description: 'only TLS 1.1 is supported',
    script: { tls: { version: '1.1' } },
  }),
  readyScript({
    ...before,
    name: 'F3-garbage',
    description: 'the TLS handshake gets bytes that are not TLS',
    script: { tls: {}, connections: [{ do: { handshake: 'garbage' } }] },
  }),
  readyScript({
    ...before,
    name: 'F3-handshake-reset',
    description: 'the connection is reset during the TLS handshake',
    script: { tls: {}, connections: [{ do: { handshake: 'reset' } }] },
  }),
  readyScript({
    ...before,
    name: 'F4-reused-reset',
    description: 'a reused connection is reset as the next request arrives',
    always: { connection: 'reset-on-next' },
  }),
  readyScript({
    ...before,
    name: 'F4-reused-close',
    description: 'a reused connection is closed as the next request arrives',
    always: { connection: 'close-on-next' },
  }),
  readyScript({
    ...before,
    name: 'F5-handshake-silence',
    description: 'the TLS handshake gets no answer',
    script: { tls: {}, connections: [{ do: { handshake: 'never' } }] },
  }),
  readyScript({
    ...before,
    name: 'F5-never-read',
    description: 'the connection is accepted and never read',
    script: { connections: [{ do: { never_read: true } }] },
  }),
  readyScript({
    ...before,
    name: 'F5-no-headers',
    description: 'the request is read and never answered',
    always: { stall: { after: 'request' } },
  }),
  readyScript({
    ...before,
    name: 'F6-silence',
    description: 'headers, then silence before the first words',
    always: { stall: { after: 'headers' } },
  }),
  readyScript({
    ...before,
    forms: streams,
    name: 'F6-pings',
    description: 'headers and the start event, then heartbeats instead of words',
    always: { stall: { after: 'content', heartbeat: { every: '5s' } } },
  }),
  readyScript({
    ...after,
    name: 'F7-stall',
    description: 'silence after ten words',
    always: { stall: { after: { words: 10 } } },
  }),
  readyScript({
    ...after,
    name: 'F7-pings',
    description: 'ten words, then heartbeats instead of words',
    always: { stall: { after: { words: 10 }, heartbeat: { every: '5s' } } },
  }),
  readyScript({
    ...before,
    name: 'F8-reset-before-headers',
    description: 'reset once the request is read',
    always: { cut: { after: 'request', by: 'reset' } },
  }),
  readyScript({
    ...before,
    name: 'F8-close-before-headers',
    description: 'closed once the request is read',
    always: { cut: { after: 'request', by: 'fin' } },
  }),
  readyScript({
    ...before,
    name: 'F8-reset-before-content',
    description: 'reset after the headers',
    always: { cut: { after: 'headers', by: 'reset' } },
  }),
  readyScript({
    ...after,
    name: 'F8-reset',
    description: 'reset after ten words',
    always: { cut: { after: { words: 10 }, by: 'reset' } },
  }),
  readyScript({
    ...after,
    name: 'F8-close',
    description: 'closed after ten words',
    always: { cut: { after: { words: 10 }, by: 'fin' } },
  }),
  readyScript({
    ...after,
    name: 'F8-half-close',
    description: 'half-closed after ten words',
    always: { cut: { after: { words: 10 }, by: 'half-close' } },
  }),
]
