type Action = readonly [name: string, what: string]

const answers: readonly Action[] = [
  ['early', 'answer before the body of the request arrives'],
  ['reply', 'another status, body, content type, headers or retry-after; a known error in one of ten shapes'],
  ['delay', 'wait before the head, the body, the first words, each word or the end'],
  ['stall', 'stop sending, for a time or for good, with or without heartbeats'],
  ['drip', 'send a few bytes at a time'],
  ['burst', 'send all events in one write'],
  ['cut', 'end the connection during the answer: FIN, RST or half-close'],
  ['endless', 'repeat the last words without end'],
  ['corrupt', 'change bytes of the body'],
  ['events', 'insert, drop, repeat or swap events'],
  ['usage', 'drop the usage, or report a wrong one'],
  ['text', 'change line ends, byte order mark, last blank line; use multi-byte characters'],
  ['encode', 'compress without being asked: gzip, deflate, Brotli; bombs'],
  ['framing', 'send wrong lengths, broken chunks, floods of 1xx or headers, bytes after the answer'],
  ['connection', 'close the connection after a complete answer'],
]

const connections: readonly Action[] = [
  ['delay', 'wait after the accept'],
  ['never_read', 'accept and never read'],
  ['close', 'close immediately: FIN, RST or half-close'],
  ['greeting', 'send bytes before any request'],
  ['handshake', 'delay or break the TLS handshake: never, garbage, reset, close'],
  ['idle_close', 'close after an idle time'],
]

const others: readonly Action[] = [
  ['refuse', 'refuse connections for a time'],
  [
    'tls',
    'serve TLS: a good, expired, not yet valid, wrong-host or self-signed certificate; one version only',
  ],
]

const relays: readonly Action[] = [
  ['close', 'close a connection after the accept'],
  ['black_hole', 'accept a connection and relay nothing'],
  ['delay', 'wait before connecting to the target, or before each piece'],
  ['pace', 'limit the bytes per period'],
  ['events', 'at a byte: pause, corrupt, drop, swap, black_hole, cut'],
]

/** Every action of a script, a line each, below the field that holds it. */
export function listFaultActions(): readonly string[] {
  return [
    ...section('rules[].do, for requests', answers),
    ...section('connections[].do, for connections', connections),
    ...section('the upstream itself', others),
    ...section('rules[].do of the proxy, for connections', relays),
  ]
}

function section(title: string, actions: readonly Action[]): readonly string[] {
  return [`  ${title}`, ...actions.map(([name, what]) => `    ${name.padEnd(12)} ${what}`)]
}
