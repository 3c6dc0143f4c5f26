import { expect, it } from 'vitest'
import { OperatorError } from '../../canonical/operator-error.ts'
import { storeFaults } from './store-faults.ts'

it('an operator gets the same advice from whichever process a fault came', () => {
  const fault = new OperatorError('data_folder_unusable', 'it is read-only', { advice: 'mount it again' })
  expect(storeFaults.read(storeFaults.write(fault))).toMatchObject({
    code: 'data_folder_unusable',
    message: 'it is read-only; mount it again',
  })
})
