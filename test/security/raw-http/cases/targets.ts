import { chat, type RawCase, raw } from '../raw-case.ts'

const refused = { answers: ['400 malformed_request'], after: 'closed' } as const
const served = { answers: ['200'], after: 'open' } as const
const missing = { answers: ['404 path_not_found'], after: 'closed' } as const

function at(target: string): string {
  return chat({ line: `POST ${target} HTTP/1.1` })
}

function hosted(...hosts: readonly string[]): string {
  return chat({ without: ['host'], headers: hosts.map((host) => `host: ${host}`) })
}

/** The destinations that a request states: forms of the target, the host, and tricks with the path. */
export const targetCases: readonly RawCase[] = [
  {
    name: 'an absolute target of the same host',
    bytes: at('http://gateway.test/v1/chat/completions'),
    ...served,
  },
  {
    name: 'an absolute target of the same host in capitals',
    bytes: at('HTTP://Gateway.Test/v1/chat/completions'),
    ...served,
  },
  {
    name: 'an absolute target of another host',
    bytes: at('http://other.test/v1/chat/completions'),
    ...refused,
    says: 'host',
  },
  {
    name: 'an absolute target of another port',
    bytes: at('http://gateway.test:81/v1/chat/completions'),
    ...refused,
  },
  {
    name: 'an absolute target with a user name',
    bytes: at('http://gateway.test@other.test/v1/chat/completions'),
    ...refused,
  },
  {
    name: 'an absolute target of another scheme',
    bytes: at('ftp://gateway.test/v1/chat/completions'),
    ...refused,
  },
  { name: 'an absolute target without a host', bytes: at('http:///v1/chat/completions'), ...refused },
  // It asks for the root, which only GET and HEAD may ask for.
  {
    name: 'an absolute target without a path',
    bytes: at('http://gateway.test'),
    answers: ['405 method_not_allowed'],
    after: 'closed',
  },
  { name: 'an authority without CONNECT', bytes: at('gateway.test:80'), ...refused },
  {
    name: 'CONNECT',
    bytes: raw({ line: 'CONNECT other.test:443 HTTP/1.1' }),
    answers: ['405 method_not_allowed'],
    after: 'closed',
  },
  {
    name: 'CONNECT to a path',
    bytes: raw({ line: 'CONNECT /v1/models HTTP/1.1' }),
    answers: ['405 method_not_allowed'],
    after: 'closed',
  },
  {
    name: 'OPTIONS of everything',
    bytes: raw({ line: 'OPTIONS * HTTP/1.1' }),
    answers: ['404 path_not_found'],
    after: 'open',
  },
  { name: 'an asterisk with another method', bytes: at('*'), ...refused },
  { name: 'a path without its slash', bytes: at('v1/chat/completions'), ...refused },
  { name: 'no host', bytes: hosted(), ...refused, says: 'Host' },
  { name: 'two hosts that differ', bytes: hosted('gateway.test', 'other.test'), ...refused, says: 'host' },
  { name: 'two hosts that agree', bytes: hosted('gateway.test', 'gateway.test'), ...refused },
  { name: 'two hosts in one header', bytes: hosted('gateway.test, other.test'), ...refused },
  { name: 'an empty host', bytes: hosted(''), ...served },
  { name: 'a host with a port', bytes: hosted('gateway.test:8080'), ...served },
  { name: 'a host that is an IPv6 address', bytes: hosted('[::1]:8080'), ...served },
  { name: 'a host with a space', bytes: hosted('gateway.test other.test'), ...refused },
  { name: 'a host with a slash', bytes: hosted('gateway.test/x'), ...refused },
  { name: 'a host with a user name', bytes: hosted('a@gateway.test'), ...refused },
  { name: 'a host with a quote', bytes: hosted('"gateway.test"'), ...refused },
  { name: 'a host with markup', bytes: hosted('<script>'), ...refused },
  { name: 'a host beyond ASCII', bytes: hosted('gat\xe9way.test'), ...refused },
  { name: 'a doubled /v1', bytes: at('/v1/v1/chat/completions'), ...served },
  { name: 'a tripled /v1', bytes: at('/v1/v1/v1/chat/completions'), ...missing },
  { name: 'a query', bytes: at('/v1/chat/completions?a=b'), ...served },
  { name: 'a fragment', bytes: at('/v1/chat/completions#a'), ...refused },
  { name: 'a slash at the end', bytes: at('/v1/chat/completions/'), ...missing },
  { name: 'two slashes at the start', bytes: at('//v1/chat/completions'), ...missing },
  { name: 'two slashes inside', bytes: at('/v1//chat/completions'), ...missing },
  { name: 'a dot', bytes: at('/v1/./chat/completions'), ...missing },
  {
    name: 'two dots',
    bytes: at('/v1/models/../chat/completions'),
    // A name below the models, of which nothing is asked: in Google's words.
    answers: ['404'],
    after: 'open',
  },
  { name: 'a dot by its code', bytes: at('/v1/%2e/chat/completions'), ...missing },
  {
    name: 'two dots by their code',
    bytes: at('/v1/models/%2e%2e/chat/completions'),
    // A name below the models, of which nothing is asked: in Google's words.
    answers: ['404'],
    after: 'open',
  },
  { name: 'a slash by its code', bytes: at('/v1%2fchat/completions'), ...missing },
  { name: 'a letter by its code', bytes: at('/v1/ch%61t/completions'), ...served },
  { name: 'a letter by its code, coded again', bytes: at('/v1/ch%2561t/completions'), ...missing },
  { name: 'a backslash', bytes: at('/v1\\chat\\completions'), ...missing },
  { name: 'a semicolon', bytes: at('/v1/chat/completions;a=b'), ...missing },
  { name: 'a NUL by its code', bytes: at('/v1/chat/completions%00'), ...missing },
  { name: 'a line end by its code', bytes: at('/v1/chat/completions%0d%0aX:y'), ...missing },
  { name: 'capitals', bytes: at('/V1/CHAT/COMPLETIONS'), ...missing },
  { name: 'a broken code', bytes: at('/v1/%zz'), ...refused },
  { name: 'a code cut off', bytes: at('/v1/models/%'), ...refused },
  {
    name: 'a code that is no UTF-8',
    bytes: raw({ line: 'GET /v1/models/%ff HTTP/1.1' }),
    answers: ['400 malformed_request'],
    after: 'open',
  },
  { name: 'bytes beyond ASCII', bytes: at('/v1/ch\xe9t'), ...refused },
  {
    name: 'a model with slashes',
    bytes: raw({ line: 'GET /v1/models/a/b/../c HTTP/1.1' }),
    answers: ['404 model_not_found'],
    after: 'open',
  },
  {
    name: 'the file of passwords',
    bytes: raw({ line: 'GET /../../etc/passwd HTTP/1.1' }),
    answers: ['404 path_not_found'],
    after: 'open',
  },
]
