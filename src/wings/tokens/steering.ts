// Tokens, as a test makes them: by method calls, without HTTP.

import type { Gateway } from '../../gateway/gateway.ts'
import type { TokenOrder } from './mint.ts'

export interface TokenSteering {
  /** Makes a token: of any consumer, also with a flaw for which the API must refuse it. */
  token(order: TokenOrder): Promise<string>
}

export const steerTokens = (gateway: Gateway): TokenSteering => ({
  async token(order) {
    const { mintToken } = await import('./mint.ts')
    return gateway.change(() => mintToken(gateway, order, 'http://localhost'), 'token()')
  },
})
