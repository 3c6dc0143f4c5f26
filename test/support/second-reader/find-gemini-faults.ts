import { type Fields, fieldsOf, listOf, wordOf } from './meaning.ts'

const topFields = ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'serviceTier']
const partKinds = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
]
const functionName = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/

/**
 * Finds why the service would refuse a request of the Gemini format, by the rules that its errors name ("Please use a
 * valid role", "Please ensure that the number of function response parts is equal to the number of function call parts
 * of the function call turn", "Function call is missing a thought_signature", seen 2026-11-20).
 */
export function findGeminiFaults(body: Fields, model: string): readonly string[] {
  const contents = listOf(body['contents']).map(fieldsOf)
  const thinking = fieldsOf(fieldsOf(body['generationConfig'])['thinkingConfig'])
  const isTwice = thinking['thinkingLevel'] !== undefined && thinking['thinkingBudget'] !== undefined
  const tools = listOf(body['tools']).flatMap((tool) => listOf(fieldsOf(tool)['functionDeclarations']))
  const misnamed = tools
    .map((tool) => wordOf(fieldsOf(tool)['name']))
    .filter((name) => !functionName.test(name))
  return [
    ...Object.keys(body).flatMap((name) => (topFields.includes(name) ? [] : [`unknown field ${name}`])),
    ...(contents.length === 0 ? ['no contents'] : []),
    ...(contents[0]?.['role'] === 'user' ? [] : ['the user does not speak first']),
    ...(contents.at(-1)?.['role'] === 'user' ? [] : ['the user does not speak last']),
    ...(isTwice ? ['a level beside a budget'] : []),
    ...misnamed.map((name) => `the name ${name}`),
    ...contents.flatMap((content, index) => faultsOfContent(content, contents[index + 1])),
    ...(/gemini-[3-9]/.test(model) ? findUnsigned(contents) : []),
  ]
}

function partsOf(content: Fields | undefined): readonly Fields[] {
  return listOf(content?.['parts']).map(fieldsOf)
}

function namesOf(content: Fields | undefined, kind: string): readonly string[] {
  return partsOf(content)
    .filter((part) => part[kind] !== undefined)
    .map((part) => wordOf(fieldsOf(part[kind])['name']))
    .toSorted()
}

function faultsOfContent(content: Fields, next: Fields | undefined): readonly string[] {
  const { role } = content
  const parts = partsOf(content)
  const calls = namesOf(content, 'functionCall')
  const answers = namesOf(next, 'functionResponse')
  const isModels = role === 'model'
  return [
    ...(role === 'user' || isModels ? [] : [`the role ${role}`]),
    ...(parts.length === 0 ? ['no parts'] : []),
    ...parts.flatMap((part) => faultsOfPart(part)),
    ...(isModels && calls.join() !== answers.join() ? [`called ${calls}, answered ${answers}`] : []),
    ...(!isModels && calls.length > 0 ? ['a call of the user'] : []),
    ...(!isModels && answers.length > 0 && next?.['role'] === 'user' ? ['results that follow no calls'] : []),
  ]
}

function faultsOfPart(part: Fields): readonly string[] {
  const kinds = partKinds.filter((kind) => part[kind] !== undefined)
  const isEmpty = part['text'] === '' && part['thoughtSignature'] === undefined
  const media = fieldsOf(part['fileData'] ?? part['inlineData'] ?? { mimeType: 'none' })
  return [
    ...(kinds.length === 1 ? [] : [`a part of ${kinds.length} kinds: ${Object.keys(part)}`]),
    ...(isEmpty ? ['an empty text'] : []),
    ...(wordOf(media['mimeType']) === '' ? ['media without a type'] : []),
  ]
}

/** Finds unsigned calls. Since the user's last words, the first call of every step is signed. */
function findUnsigned(contents: readonly Fields[]): readonly string[] {
  const isAsked = (content: Fields) =>
    content['role'] === 'user' && namesOf(content, 'functionResponse').length === 0
  const current = contents.slice(contents.findLastIndex(isAsked) + 1)
  const firsts = current.map((content) => partsOf(content).find((part) => part['functionCall'] !== undefined))
  return firsts.flatMap((call) =>
    call === undefined || call['thoughtSignature'] !== undefined ? [] : ['a call without a signature'],
  )
}
