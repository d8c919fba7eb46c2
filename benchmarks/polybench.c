// PolyBench's kernels in C, as examples/polybench has them in affine loops: benchmarks/polybench.py
// compiles one at a time (-DKERNEL_gemm), with its sizes as macros. Arguments do not overlap.
#include <math.h>

#ifdef KERNEL_gemm
void gemm(double alpha, double beta, double C[restrict NI][NJ], double A[restrict NI][NK],
    double B[restrict NK][NJ]) {
  for (int i = 0; i < NI; i++) {
    for (int j = 0; j < NJ; j++) {
      C[i][j] *= beta;
    }
    for (int k = 0; k < NK; k++) {
      for (int j = 0; j < NJ; j++) {
        C[i][j] += (alpha * A[i][k]) * B[k][j];
      }
    }
  }
}
#endif

#ifdef KERNEL_gemver
void gemver(double alpha, double beta, double A[restrict N][N], double u1[restrict N],
    double v1[restrict N], double u2[restrict N], double v2[restrict N], double w[restrict N],
    double x[restrict N], double y[restrict N], double z[restrict N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      A[i][j] = (A[i][j] + (u1[i] * v1[j])) + (u2[i] * v2[j]);
    }
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      x[i] = x[i] + ((beta * A[j][i]) * y[j]);
    }
  }
  for (int i = 0; i < N; i++) {
    x[i] = x[i] + z[i];
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      w[i] = w[i] + ((alpha * A[i][j]) * x[j]);
    }
  }
}
#endif

#ifdef KERNEL_gesummv
void gesummv(double alpha, double beta, double A[restrict N][N], double B[restrict N][N],
    double tmp[restrict N], double x[restrict N], double y[restrict N]) {
  for (int i = 0; i < N; i++) {
    tmp[i] = 0.0;
    y[i] = 0.0;
    for (int j = 0; j < N; j++) {
      tmp[i] = (A[i][j] * x[j]) + tmp[i];
      y[i] = (B[i][j] * x[j]) + y[i];
    }
    y[i] = (alpha * tmp[i]) + (beta * y[i]);
  }
}
#endif

#ifdef KERNEL_symm
void symm(double alpha, double beta, double C[restrict M][N], double A[restrict M][M],
    double B[restrict M][N]) {
  double temp2;
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++) {
      temp2 = 0.0;
      for (int k = 0; k < i; k++) {
        C[k][j] += (alpha * B[i][j]) * A[i][k];
        temp2 += B[k][j] * A[i][k];
      }
      C[i][j] = ((beta * C[i][j]) + ((alpha * B[i][j]) * A[i][i])) + (alpha * temp2);
    }
  }
}
#endif

#ifdef KERNEL_syr2k
void syr2k(double alpha, double beta, double C[restrict N][N], double A[restrict N][M],
    double B[restrict N][M]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i + 1; j++) {
      C[i][j] *= beta;
    }
    for (int k = 0; k < M; k++) {
      for (int j = 0; j < i + 1; j++) {
        C[i][j] += ((A[j][k] * alpha) * B[i][k]) + ((B[j][k] * alpha) * A[i][k]);
      }
    }
  }
}
#endif

#ifdef KERNEL_syrk
void syrk(double alpha, double beta, double C[restrict N][N], double A[restrict N][M]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i + 1; j++) {
      C[i][j] *= beta;
    }
    for (int k = 0; k < M; k++) {
      for (int j = 0; j < i + 1; j++) {
        C[i][j] += (alpha * A[i][k]) * A[j][k];
      }
    }
  }
}
#endif

#ifdef KERNEL_trmm
void trmm(double alpha, double A[restrict M][M], double B[restrict M][N]) {
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++) {
      for (int k = i + 1; k < M; k++) {
        B[i][j] += A[k][i] * B[k][j];
      }
      B[i][j] = alpha * B[i][j];
    }
  }
}
#endif

#ifdef KERNEL_two_mm
void two_mm(double alpha, double beta, double tmp[restrict NI][NJ], double A[restrict NI][NK],
    double B[restrict NK][NJ], double C[restrict NJ][NL], double D[restrict NI][NL]) {
  for (int i = 0; i < NI; i++) {
    for (int j = 0; j < NJ; j++) {
      tmp[i][j] = 0.0;
      for (int k = 0; k < NK; k++) {
        tmp[i][j] += (alpha * A[i][k]) * B[k][j];
      }
    }
  }
  for (int i = 0; i < NI; i++) {
    for (int j = 0; j < NL; j++) {
      D[i][j] *= beta;
      for (int k = 0; k < NJ; k++) {
        D[i][j] += tmp[i][k] * C[k][j];
      }
    }
  }
}
#endif

#ifdef KERNEL_three_mm
void three_mm(double E[restrict NI][NJ], double A[restrict NI][NK], double B[restrict NK][NJ],
    double F[restrict NJ][NL], double C[restrict NJ][NM], double D[restrict NM][NL],
    double G[restrict NI][NL]) {
  for (int i = 0; i < NI; i++) {
    for (int j = 0; j < NJ; j++) {
      E[i][j] = 0.0;
      for (int k = 0; k < NK; k++) {
        E[i][j] += A[i][k] * B[k][j];
      }
    }
  }
  for (int i = 0; i < NJ; i++) {
    for (int j = 0; j < NL; j++) {
      F[i][j] = 0.0;
      for (int k = 0; k < NM; k++) {
        F[i][j] += C[i][k] * D[k][j];
      }
    }
  }
  for (int i = 0; i < NI; i++) {
    for (int j = 0; j < NL; j++) {
      G[i][j] = 0.0;
      for (int k = 0; k < NJ; k++) {
        G[i][j] += E[i][k] * F[k][j];
      }
    }
  }
}
#endif

#ifdef KERNEL_atax
void atax(double A[restrict M][N], double x[restrict N], double y[restrict N],
    double tmp[restrict M]) {
  for (int i = 0; i < N; i++) {
    y[i] = 0.0;
  }
  for (int i = 0; i < M; i++) {
    tmp[i] = 0.0;
    for (int j = 0; j < N; j++) {
      tmp[i] = tmp[i] + (A[i][j] * x[j]);
    }
    for (int j = 0; j < N; j++) {
      y[j] = y[j] + (A[i][j] * tmp[i]);
    }
  }
}
#endif

#ifdef KERNEL_bicg
void bicg(double A[restrict N][M], double s[restrict M], double q[restrict N],
    double p[restrict M], double r[restrict N]) {
  for (int i = 0; i < M; i++) {
    s[i] = 0.0;
  }
  for (int i = 0; i < N; i++) {
    q[i] = 0.0;
    for (int j = 0; j < M; j++) {
      s[j] = s[j] + (r[i] * A[i][j]);
      q[i] = q[i] + (A[i][j] * p[j]);
    }
  }
}
#endif

#ifdef KERNEL_doitgen
void doitgen(double A[restrict NR][NQ][NP], double C4[restrict NP][NP], double total[restrict NP]) {
  for (int r = 0; r < NR; r++) {
    for (int q = 0; q < NQ; q++) {
      for (int p = 0; p < NP; p++) {
        total[p] = 0.0;
        for (int s = 0; s < NP; s++) {
          total[p] += A[r][q][s] * C4[s][p];
        }
      }
      for (int p = 0; p < NP; p++) {
        A[r][q][p] = total[p];
      }
    }
  }
}
#endif

#ifdef KERNEL_mvt
void mvt(double x1[restrict N], double x2[restrict N], double y1[restrict N],
    double y2[restrict N], double A[restrict N][N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      x1[i] = x1[i] + (A[i][j] * y1[j]);
    }
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      x2[i] = x2[i] + (A[j][i] * y2[j]);
    }
  }
}
#endif

#ifdef KERNEL_cholesky
void cholesky(double A[restrict N][N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) {
        A[i][j] -= A[i][k] * A[j][k];
      }
      A[i][j] /= A[j][j];
    }
    for (int k = 0; k < i; k++) {
      A[i][i] -= A[i][k] * A[i][k];
    }
    A[i][i] = sqrt(A[i][i]);
  }
}
#endif

#ifdef KERNEL_durbin
void durbin(double r[restrict N], double y[restrict N], double z[restrict N]) {
  double beta, alpha, total;
  y[0] = -r[0];
  beta = 1.0;
  alpha = -r[0];
  for (int k = 1; k < N; k++) {
    beta = (1.0 - (alpha * alpha)) * beta;
    total = 0.0;
    for (int i = 0; i < k; i++) {
      total += r[k - i - 1] * y[i];
    }
    alpha = -(r[k] + total) / beta;
    for (int i = 0; i < k; i++) {
      z[i] = y[i] + (alpha * y[k - i - 1]);
    }
    for (int i = 0; i < k; i++) {
      y[i] = z[i];
    }
    y[k] = alpha;
  }
}
#endif

#ifdef KERNEL_gramschmidt
void gramschmidt(double A[restrict M][N], double R[restrict N][N], double Q[restrict M][N]) {
  double nrm;
  for (int k = 0; k < N; k++) {
    nrm = 0.0;
    for (int i = 0; i < M; i++) {
      nrm += A[i][k] * A[i][k];
    }
    R[k][k] = sqrt(nrm);
    for (int i = 0; i < M; i++) {
      Q[i][k] = A[i][k] / R[k][k];
    }
    for (int j = k + 1; j < N; j++) {
      R[k][j] = 0.0;
      for (int i = 0; i < M; i++) {
        R[k][j] += Q[i][k] * A[i][j];
      }
      for (int i = 0; i < M; i++) {
        A[i][j] = A[i][j] - (Q[i][k] * R[k][j]);
      }
    }
  }
}
#endif

#ifdef KERNEL_lu
void lu(double A[restrict N][N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) {
        A[i][j] -= A[i][k] * A[k][j];
      }
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < N; j++) {
      for (int k = 0; k < i; k++) {
        A[i][j] -= A[i][k] * A[k][j];
      }
    }
  }
}
#endif

#ifdef KERNEL_ludcmp
void ludcmp(double A[restrict N][N], double b[restrict N], double x[restrict N],
    double y[restrict N]) {
  double w;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      w = A[i][j];
      for (int k = 0; k < j; k++) {
        w -= A[i][k] * A[k][j];
      }
      A[i][j] = w / A[j][j];
    }
    for (int j = i; j < N; j++) {
      w = A[i][j];
      for (int k = 0; k < i; k++) {
        w -= A[i][k] * A[k][j];
      }
      A[i][j] = w;
    }
  }
  for (int i = 0; i < N; i++) {
    w = b[i];
    for (int j = 0; j < i; j++) {
      w -= A[i][j] * y[j];
    }
    y[i] = w;
  }
  for (int i = 0; i < N; i++) {
    w = y[N - 1 - i];
    for (int j = N - i; j < N; j++) {
      w -= A[N - 1 - i][j] * x[j];
    }
    x[N - 1 - i] = w / A[N - 1 - i][N - 1 - i];
  }
}
#endif

#ifdef KERNEL_trisolv
void trisolv(double L[restrict N][N], double x[restrict N], double b[restrict N]) {
  for (int i = 0; i < N; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++) {
      x[i] -= L[i][j] * x[j];
    }
    x[i] = x[i] / L[i][i];
  }
}
#endif

#ifdef KERNEL_correlation
void correlation(double float_n, double data[restrict N][M], double corr[restrict M][M],
    double mean[restrict M], double stddev[restrict M]) {
  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < N; i++) {
      mean[j] += data[i][j];
    }
    mean[j] /= float_n;
  }
  for (int j = 0; j < M; j++) {
    stddev[j] = 0.0;
    for (int i = 0; i < N; i++) {
      stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    }
    stddev[j] /= float_n;
    stddev[j] = sqrt(stddev[j]);
    stddev[j] = stddev[j] <= 0.1 ? 1.0 : stddev[j];
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++) {
      data[i][j] -= mean[j];
      data[i][j] /= sqrt(float_n) * stddev[j];
    }
  }
  for (int i = 0; i < M - 1; i++) {
    corr[i][i] = 1.0;
    for (int j = i + 1; j < M; j++) {
      corr[i][j] = 0.0;
      for (int k = 0; k < N; k++) {
        corr[i][j] += data[k][i] * data[k][j];
      }
      corr[j][i] = corr[i][j];
    }
  }
  corr[M - 1][M - 1] = 1.0;
}
#endif

#ifdef KERNEL_covariance
void covariance(double float_n, double data[restrict N][M], double cov[restrict M][M],
    double mean[restrict M]) {
  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < N; i++) {
      mean[j] += data[i][j];
    }
    mean[j] /= float_n;
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++) {
      data[i][j] -= mean[j];
    }
  }
  for (int i = 0; i < M; i++) {
    for (int j = i; j < M; j++) {
      cov[i][j] = 0.0;
      for (int k = 0; k < N; k++) {
        cov[i][j] += data[k][i] * data[k][j];
      }
      cov[i][j] /= float_n - 1.0;
      cov[j][i] = cov[i][j];
    }
  }
}
#endif

#ifdef KERNEL_deriche
void deriche(double alpha, double imgIn[restrict W][H], double imgOut[restrict W][H],
    double y1[restrict W][H], double y2[restrict W][H]) {
  double k, a1, a2, a3, a4, b1, b2, ym1, ym2, xm1, yp1, yp2, xp1, xp2, tm1, tp1, tp2;
  k = ((1.0 - exp(-alpha)) * (1.0 - exp(-alpha))) / ((1.0 + ((2.0 * alpha) * exp(-alpha))) - exp((2.0 * alpha)));
  a1 = k;
  a2 = (k * exp(-alpha)) * (alpha - 1.0);
  a3 = (k * exp(-alpha)) * (alpha + 1.0);
  a4 = -k * exp((-2.0 * alpha));
  b1 = exp2(-alpha);
  b2 = -exp((-2.0 * alpha));
  for (int i = 0; i < W; i++) {
    ym1 = 0.0;
    ym2 = 0.0;
    xm1 = 0.0;
    for (int j = 0; j < H; j++) {
      y1[i][j] = (((a1 * imgIn[i][j]) + (a2 * xm1)) + (b1 * ym1)) + (b2 * ym2);
      xm1 = imgIn[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
  }
  for (int i = 0; i < W; i++) {
    yp1 = 0.0;
    yp2 = 0.0;
    xp1 = 0.0;
    xp2 = 0.0;
    for (int j = 0; j < H; j++) {
      y2[i][H - 1 - j] = (((a3 * xp1) + (a4 * xp2)) + (b1 * yp1)) + (b2 * yp2);
      xp2 = xp1;
      xp1 = imgIn[i][H - 1 - j];
      yp2 = yp1;
      yp1 = y2[i][H - 1 - j];
    }
  }
  for (int i = 0; i < W; i++) {
    for (int j = 0; j < H; j++) {
      imgOut[i][j] = y1[i][j] + y2[i][j];
    }
  }
  for (int j = 0; j < H; j++) {
    tm1 = 0.0;
    ym1 = 0.0;
    ym2 = 0.0;
    for (int i = 0; i < W; i++) {
      y1[i][j] = (((a1 * imgOut[i][j]) + (a2 * tm1)) + (b1 * ym1)) + (b2 * ym2);
      tm1 = imgOut[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
  }
  for (int j = 0; j < H; j++) {
    tp1 = 0.0;
    tp2 = 0.0;
    yp1 = 0.0;
    yp2 = 0.0;
    for (int i = 0; i < W; i++) {
      y2[W - 1 - i][j] = (((a3 * tp1) + (a4 * tp2)) + (b1 * yp1)) + (b2 * yp2);
      tp2 = tp1;
      tp1 = imgOut[W - 1 - i][j];
      yp2 = yp1;
      yp1 = y2[W - 1 - i][j];
    }
  }
  for (int i = 0; i < W; i++) {
    for (int j = 0; j < H; j++) {
      imgOut[i][j] = y1[i][j] + y2[i][j];
    }
  }
}
#endif

#ifdef KERNEL_floyd_warshall
void floyd_warshall(int path[restrict N][N]) {
  for (int k = 0; k < N; k++) {
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        path[i][j] = path[i][j] < (path[i][k] + path[k][j]) ? path[i][j] : (path[i][k] + path[k][j]);
      }
    }
  }
}
#endif

#ifdef KERNEL_nussinov
void nussinov(int seq[restrict N], int table[restrict N][N]) {
  for (int i = 0; i < N; i++) {
    for (int j = N - i; j < N; j++) {
      table[N - 1 - i][j] = table[N - 1 - i][j] >= table[N - 1 - i][j - 1] ? table[N - 1 - i][j] : table[N - 1 - i][j - 1];
      if (i >= 1) {
        table[N - 1 - i][j] = table[N - 1 - i][j] >= table[N - i][j] ? table[N - 1 - i][j] : table[N - i][j];
        if (j >= N - i + 1) {
          table[N - 1 - i][j] = table[N - 1 - i][j] >= (table[N - i][j - 1] + (seq[N - 1 - i] + seq[j] == 3 ? 1 : 0)) ? table[N - 1 - i][j] : (table[N - i][j - 1] + (seq[N - 1 - i] + seq[j] == 3 ? 1 : 0));
        } else {
          table[N - 1 - i][j] = table[N - 1 - i][j] >= table[N - i][j - 1] ? table[N - 1 - i][j] : table[N - i][j - 1];
        }
      }
      for (int k = N - i; k < j; k++) {
        table[N - 1 - i][j] = table[N - 1 - i][j] >= (table[N - 1 - i][k] + table[k + 1][j]) ? table[N - 1 - i][j] : (table[N - 1 - i][k] + table[k + 1][j]);
      }
    }
  }
}
#endif

#ifdef KERNEL_adi
void adi(double u[restrict N][N], double v[restrict N][N], double p[restrict N][N],
    double q[restrict N][N], double a, double b, double c, double d, double e, double f) {
  for (int t = 0; t < TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++) {
      v[0][i] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = v[0][i];
      for (int j = 1; j < N - 1; j++) {
        p[i][j] = -c / ((a * p[i][j - 1]) + b);
        q[i][j] = ((((-d * u[j][i - 1]) + ((1.0 + (2.0 * d)) * u[j][i])) - (f * u[j][i + 1])) - (a * q[i][j - 1])) / ((a * p[i][j - 1]) + b);
      }
      v[N - 1][i] = 1.0;
      for (int j = 1; j < N - 1; j++) {
        v[N - 1 - j][i] = (p[i][N - 1 - j] * v[N - j][i]) + q[i][N - 1 - j];
      }
    }
    for (int i = 1; i < N - 1; i++) {
      u[i][0] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = u[i][0];
      for (int j = 1; j < N - 1; j++) {
        p[i][j] = -f / ((d * p[i][j - 1]) + e);
        q[i][j] = ((((-a * v[i - 1][j]) + ((1.0 + (2.0 * a)) * v[i][j])) - (c * v[i + 1][j])) - (d * q[i][j - 1])) / ((d * p[i][j - 1]) + e);
      }
      u[i][N - 1] = 1.0;
      for (int j = 1; j < N - 1; j++) {
        u[i][N - 1 - j] = (p[i][N - 1 - j] * u[i][N - j]) + q[i][N - 1 - j];
      }
    }
  }
}
#endif

#ifdef KERNEL_fdtd_2d
void fdtd_2d(double ex[restrict NX][NY], double ey[restrict NX][NY], double hz[restrict NX][NY],
    double fict[restrict TSTEPS]) {
  for (int t = 0; t < TSTEPS; t++) {
    for (int j = 0; j < NY; j++) {
      ey[0][j] = fict[t];
    }
    for (int i = 1; i < NX; i++) {
      for (int j = 0; j < NY; j++) {
        ey[i][j] = ey[i][j] - (0.5 * (hz[i][j] - hz[i - 1][j]));
      }
    }
    for (int i = 0; i < NX; i++) {
      for (int j = 1; j < NY; j++) {
        ex[i][j] = ex[i][j] - (0.5 * (hz[i][j] - hz[i][j - 1]));
      }
    }
    for (int i = 0; i < NX - 1; i++) {
      for (int j = 0; j < NY - 1; j++) {
        hz[i][j] = hz[i][j] - (0.7 * (((ex[i][j + 1] - ex[i][j]) + ey[i + 1][j]) - ey[i][j]));
      }
    }
  }
}
#endif

#ifdef KERNEL_heat_3d
void heat_3d(double A[restrict N][N][N], double B[restrict N][N][N]) {
  for (int t = 0; t < TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++) {
      for (int j = 1; j < N - 1; j++) {
        for (int k = 1; k < N - 1; k++) {
          B[i][j][k] = (((0.125 * ((A[i + 1][j][k] - (2.0 * A[i][j][k])) + A[i - 1][j][k])) + (0.125 * ((A[i][j + 1][k] - (2.0 * A[i][j][k])) + A[i][j - 1][k]))) + (0.125 * ((A[i][j][k + 1] - (2.0 * A[i][j][k])) + A[i][j][k - 1]))) + A[i][j][k];
        }
      }
    }
    for (int i = 1; i < N - 1; i++) {
      for (int j = 1; j < N - 1; j++) {
        for (int k = 1; k < N - 1; k++) {
          A[i][j][k] = (((0.125 * ((B[i + 1][j][k] - (2.0 * B[i][j][k])) + B[i - 1][j][k])) + (0.125 * ((B[i][j + 1][k] - (2.0 * B[i][j][k])) + B[i][j - 1][k]))) + (0.125 * ((B[i][j][k + 1] - (2.0 * B[i][j][k])) + B[i][j][k - 1]))) + B[i][j][k];
        }
      }
    }
  }
}
#endif

#ifdef KERNEL_jacobi_1d
void jacobi_1d(double A[restrict N], double B[restrict N]) {
  for (int t = 0; t < TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++) {
      B[i] = 0.33333 * ((A[i - 1] + A[i]) + A[i + 1]);
    }
    for (int i = 1; i < N - 1; i++) {
      A[i] = 0.33333 * ((B[i - 1] + B[i]) + B[i + 1]);
    }
  }
}
#endif

#ifdef KERNEL_jacobi_2d
void jacobi_2d(double A[restrict N][N], double B[restrict N][N]) {
  for (int t = 0; t < TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++) {
      for (int j = 1; j < N - 1; j++) {
        B[i][j] = 0.2 * ((((A[i][j] + A[i][j - 1]) + A[i][j + 1]) + A[i + 1][j]) + A[i - 1][j]);
      }
    }
    for (int i = 1; i < N - 1; i++) {
      for (int j = 1; j < N - 1; j++) {
        A[i][j] = 0.2 * ((((B[i][j] + B[i][j - 1]) + B[i][j + 1]) + B[i + 1][j]) + B[i - 1][j]);
      }
    }
  }
}
#endif

#ifdef KERNEL_seidel_2d
void seidel_2d(double A[restrict N][N]) {
  for (int t = 0; t < TSTEPS; t++) {
    for (int i = 1; i < N - 1; i++) {
      for (int j = 1; j < N - 1; j++) {
        A[i][j] = ((((((((A[i - 1][j - 1] + A[i - 1][j]) + A[i - 1][j + 1]) + A[i][j - 1]) + A[i][j]) + A[i][j + 1]) + A[i + 1][j - 1]) + A[i + 1][j]) + A[i + 1][j + 1]) / 9.0;
      }
    }
  }
}
#endif
