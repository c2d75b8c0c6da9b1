/* sincos.h: sines and cosines of an array, several at a time. C11 with vectors of gcc and clang,
 * because generated solvers use it too.
 *
 * x = k pi/2 + r with |r| <= pi/4. Adding the constant 1.5 2^52 to x 2/pi rounds it to the integer
 * k, which is then in the low bits of the sum. pi/2 is split into three parts of 33 bits, so that k
 * * part is exact for |k| < 2^20 (Cody and Waite). The neglected rest of pi/2 causes an error below
 * 1e-30 k. sin r and cos r are the minimax polynomials of degree 13 and 14 of fdlibm's kernels,
 * with errors below 0.6 ulp. An entry that is not finite or has |x| >= 1e6 is computed by the
 * functions of the standard library, so that no entry depends on another. */
#ifndef TORSOR_SINCOS_H
#define TORSOR_SINCOS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of a register, and their bits: vector types of gcc and clang. Loops over an array are
 * not vectorised by clang 14 if their length is constant. */
#ifdef __AVX512F__
#define TORSOR_ANGLES 8
#else
#define TORSOR_ANGLES 4
#endif
typedef double torsor_angles __attribute__((vector_size(8 * TORSOR_ANGLES)));
typedef uint64_t torsor_angle_bits __attribute__((vector_size(8 * TORSOR_ANGLES)));

/* Computes the sines and cosines of TORSOR_ANGLES numbers below 1e6. */
static inline void torsor_sincos_register(const double* angle, double* sine, double* cosine) {
  const double magic = 6755399441055744.0; /* 1.5 * 2^52 */
  torsor_angles x;
  memcpy(&x, angle, sizeof x);
  const torsor_angles t = x * 0.63661977236758134308 + magic;
  const torsor_angle_bits k = (torsor_angle_bits)t;
  const torsor_angles n = t - magic;
  torsor_angles r = x - n * 1.57079632673412561417e+00;
  r = r - n * 6.07710050630396597660e-11;
  r = r - n * 2.02226624879595063154e-21;
  /* Each polynomial is split into independent parts, so that fewer operations wait for others. */
  const torsor_angles z = r * r, z2 = z * z, z4 = z2 * z2;
  const torsor_angles ps = (8.33333333332248946124e-03 * z - 1.66666666666666324348e-01) +
                           z2 * (2.75573137070700676789e-06 * z - 1.98412698298579493134e-04) +
                           z4 * (1.58969099521155010221e-10 * z - 2.50507602534068634195e-08);
  const torsor_angles pc = (-1.38888888888741095749e-03 * z + 4.16666666666666019037e-02) +
                           z2 * (-2.75573143513906633035e-07 * z + 2.48015872894767294178e-05) +
                           z4 * (-1.13596475577881948265e-11 * z + 2.08757232129817482790e-09);
  const torsor_angles s = r + r * z * ps, c = 1.0 - 0.5 * z + z2 * pc;
  const torsor_angle_bits s_bits = (torsor_angle_bits)s, c_bits = (torsor_angle_bits)c;
  const torsor_angle_bits odd = -(k & 1); /* all bits if sine and cosine change places */
  const torsor_angle_bits sines = ((s_bits & ~odd) | (c_bits & odd)) ^ ((k & 2) << 62),
                          cosines = ((c_bits & ~odd) | (s_bits & odd)) ^ (((k + 1) & 2) << 62);
  memcpy(sine, &sines, sizeof sines);
  memcpy(cosine, &cosines, sizeof cosines);
}

/* Computes sine[i] = sin x[i] and cosine[i] = cos x[i] for i < n. The arrays do not overlap. */
static inline void torsor_sincos(int n, const double* __restrict x, double* __restrict sine,
                                 double* __restrict cosine) {
  int is_large = 0, i = 0;
  for (int k = 0; k < n; ++k) is_large |= !(fabs(x[k]) < 1e6);
  for (; i + TORSOR_ANGLES <= n; i += TORSOR_ANGLES)
    torsor_sincos_register(x + i, sine + i, cosine + i);
  if (i < n) {
    double rest[TORSOR_ANGLES] = {0}, s[TORSOR_ANGLES], c[TORSOR_ANGLES];
    const size_t size = (size_t)(n - i) * sizeof(double);
    memcpy(rest, x + i, size);
    torsor_sincos_register(rest, s, c);
    memcpy(sine + i, s, size);
    memcpy(cosine + i, c, size);
  }
  if (!is_large) return;
  for (int k = 0; k < n; ++k) {
    if (fabs(x[k]) < 1e6) continue;
    sine[k] = sin(x[k]);
    cosine[k] = cos(x[k]);
  }
}

#ifdef __cplusplus
}
#endif
#endif
