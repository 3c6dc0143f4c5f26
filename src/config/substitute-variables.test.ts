import { expect, test } from 'vitest'
import { parseYamlConfig } from '../../test/support/parse-yaml-config.ts'

test('a variable’s value cannot change the structure, and a doubled dollar is a plain one', () => {
  const variables = { NAME: `x: [1]\ny: \${OTHER}` }
  expect(parseYamlConfig(`data: "\${NAME}"`, variables).input.data).toBe(`x: [1]\ny: \${OTHER}`)
  expect(parseYamlConfig(`data: "$\${NAME} \${A:-b}\${C:-}"`, variables).input.data).toBe(`\${NAME} b`)
})
