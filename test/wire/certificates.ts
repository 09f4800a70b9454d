// Certificates for tests: an authority and the certificates that it issues.

// @peculiar/x509 requires this import first.
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

x509.cryptoProvider.set(webcrypto as never)

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY = 86_400_000

export interface Issued {
  readonly key: string
  readonly cert: string
}

export interface Authority {
  readonly cert: string
  /** @param days the validity; negative for an expired certificate */
  issue(subject: string, days?: number): Promise<Issued>
}

const pemOf = (der: ArrayBuffer): string =>
  `-----BEGIN PRIVATE KEY-----\n${Buffer.from(der).toString('base64')}\n-----END PRIVATE KEY-----\n`

const makeKeys = () =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>

export async function makeAuthority(name: string): Promise<Authority> {
  const keys = await makeKeys()
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore: new Date(Date.now() - 10 * DAY),
    notAfter: new Date(Date.now() + 10 * DAY),
    signingAlgorithm: ALGORITHM,
    keys: keys as never,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  })
  return {
    cert: authority.toString('pem'),
    async issue(subject, days = 5) {
      const own = await makeKeys()
      const certificate = await x509.X509CertificateGenerator.create({
        subject,
        issuer: authority.subject,
        notBefore: new Date(Date.now() - 9 * DAY),
        notAfter: new Date(Date.now() + days * DAY),
        signingAlgorithm: ALGORITHM,
        publicKey: own.publicKey as never,
        signingKey: keys.privateKey as never,
        extensions: [
          new x509.SubjectAlternativeNameExtension([
            { type: 'dns', value: 'localhost' },
            { type: 'ip', value: '127.0.0.1' },
          ]),
        ],
      })
      return {
        key: pemOf(await webcrypto.subtle.exportKey('pkcs8', own.privateKey)),
        cert: certificate.toString('pem'),
      }
    },
  }
}
